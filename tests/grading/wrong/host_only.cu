// wrong: saxpy - - :: signature failed the file holds no kernel
void saxpy(float a, const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
