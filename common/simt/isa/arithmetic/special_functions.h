#pragma once
// What the special function unit of a GPU gives for sin, cos, ex2, lg2, rsqrt, rcp and sqrt of floats, bit by bit: a
// parabola for each of 64 segments (rcp: 128), in integers. How its multipliers cut off is what Kościelnicki found out
// of a Tesla GPU (envytools, nvhw/sfu.c). The coefficients were solved from an H100's results for every mantissa: one
// solution for each segment, which gives all of 60 million results that were compared; of rcp all of 17 million,
// of sqrt of 34, of quotients of two.

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// constant + slope x + curve x^2, in units that differ between the functions.
struct Segment {
  int constant, slope, curve;
};

/// sin(pi/2 t), t from 0 to 1.
constexpr Segment kSine[] = {
    {0, 25737, -14},          {1646926, 25730, -48},    {3292872, 25706, -76},    {4936828, 25668, -110},
    {6577812, 25613, -137},   {8214836, 25544, -171},   {9846906, 25459, -201},   {11473052, 25358, -229},
    {13092282, 25243, -262},  {14703632, 25112, -292},  {16306120, 24966, -322},  {17898788, 24805, -352},
    {19480670, 24629, -381},  {21050826, 24438, -410},  {22608290, 24233, -441},  {24152140, 24013, -470},
    {25681450, 23778, -497},  {27195286, 23529, -525},  {28692734, 23266, -553},  {30172904, 22989, -581},
    {31634900, 22698, -608},  {33077832, 22394, -637},  {34500844, 22076, -664},  {35903084, 21744, -688},
    {37283680, 21400, -715},  {38641832, 21042, -738},  {39976700, 20672, -763},  {41287492, 20290, -790},
    {42573406, 19895, -812},  {43833682, 19489, -839},  {45067552, 19070, -859},  {46274276, 18640, -881},
    {47453130, 18199, -904},  {48603396, 17747, -926},  {49724388, 17284, -946},  {50815422, 16811, -967},
    {51875848, 16328, -988},  {52905036, 15834, -1004}, {53902340, 15332, -1025}, {54867186, 14820, -1043},
    {55798976, 14299, -1059}, {56697166, 13769, -1074}, {57561188, 13232, -1093}, {58390546, 12686, -1107},
    {59184728, 12133, -1123}, {59943264, 11572, -1136}, {60665692, 11004, -1148}, {61351576, 10430, -1162},
    {62000506, 9849, -1172},  {62612084, 9263, -1185},  {63185948, 8671, -1196},  {63721758, 8073, -1203},
    {64219180, 7471, -1213},  {64677922, 6864, -1220},  {65097690, 6254, -1230},  {65478264, 5639, -1236},
    {65819388, 5021, -1242},  {66120864, 4400, -1247},  {66382514, 3776, -1250},  {66604174, 3151, -1258},
    {66785714, 2523, -1260},  {66927034, 1893, -1260},  {67028028, 1263, -1263},  {67088652, 632, -1265},
};

/// 2^t, t from 0 to 1.
constexpr Segment kPower[] = {
    {33554432, 22713, 494}, {33919815, 22960, 501}, {34289179, 23210, 506}, {34662562, 23463, 511},
    {35040015, 23718, 518}, {35421574, 23977, 521}, {35807289, 24238, 527}, {36197206, 24502, 532},
    {36591369, 24768, 541}, {36989822, 25038, 546}, {37392613, 25311, 551}, {37799794, 25586, 559},
    {38211406, 25865, 564}, {38627501, 26147, 568}, {39048128, 26431, 577}, {39473334, 26719, 583},
    {39903170, 27010, 589}, {40337687, 27304, 596}, {40776934, 27602, 600}, {41220967, 27902, 609},
    {41669833, 28206, 615}, {42123589, 28513, 622}, {42582283, 28824, 627}, {43045974, 29138, 633},
    {43514714, 29455, 641}, {43988558, 29776, 647}, {44467562, 30100, 655}, {44951783, 30428, 661},
    {45441275, 30759, 670}, {45936098, 31094, 677}, {46436311, 31432, 686}, {46941968, 31775, 691},
    {47453132, 32121, 699}, {47969864, 32471, 705}, {48492222, 32824, 715}, {49020266, 33182, 721},
    {49554062, 33543, 730}, {50093671, 33908, 739}, {50639156, 34277, 748}, {51190579, 34651, 753},
    {51748008, 35028, 763}, {52311507, 35409, 773}, {52881143, 35795, 779}, {53456980, 36185, 787},
    {54039088, 36579, 796}, {54627535, 36977, 806}, {55222390, 37380, 813}, {55823722, 37787, 822},
    {56431604, 38198, 833}, {57046103, 38614, 842}, {57667294, 39035, 849}, {58295251, 39460, 858},
    {58930045, 39889, 870}, {59571751, 40324, 877}, {60220444, 40763, 887}, {60876202, 41207, 896},
    {61539101, 41655, 909}, {62209217, 42109, 917}, {62886631, 42568, 925}, {63571421, 43031, 938},
    {64263669, 43500, 946}, {64963455, 43973, 959}, {65670860, 44452, 969}, {66385969, 44936, 980},
};

/// log2(1 + t), t from 0 to 1.
constexpr Segment kLogarithm[] = {
    {4, 47272, -727},        {1501079, 46545, -705},  {2979245, 45840, -685},  {4435175, 45156, -665},
    {5869538, 44492, -646},  {7282959, 43847, -627},  {8676041, 43221, -610},  {10049360, 42612, -592},
    {11403480, 42020, -576}, {12738914, 41444, -559}, {14056181, 40884, -544}, {15355766, 40339, -530},
    {16638137, 39809, -518}, {17903740, 39292, -504}, {19153020, 38788, -491}, {20386385, 38297, -479},
    {21604230, 37818, -466}, {22806952, 37351, -455}, {23994914, 36896, -445}, {25168473, 36451, -433},
    {26327980, 36018, -425}, {27473760, 35594, -414}, {28606142, 35180, -404}, {29725435, 34776, -396},
    {30831935, 34380, -385}, {31925930, 33994, -377}, {33007703, 33616, -368}, {34077522, 33247, -361},
    {35135647, 32886, -354}, {36182338, 32532, -346}, {37217831, 32186, -339}, {38242363, 31847, -331},
    {39256170, 31516, -326}, {40259469, 31191, -319}, {41252482, 30872, -311}, {42235412, 30561, -307},
    {43208461, 30255, -300}, {44171827, 29955, -293}, {45125706, 29662, -289}, {46070272, 29374, -283},
    {47005713, 29091, -276}, {47932206, 28814, -271}, {48849917, 28542, -266}, {49759005, 28276, -262},
    {50659642, 28014, -257}, {51551982, 27757, -253}, {52436166, 27505, -249}, {53312349, 27257, -244},
    {54180673, 27013, -238}, {55041280, 26774, -234}, {55894305, 26540, -232}, {56739875, 26309, -227},
    {57578131, 26082, -223}, {58409188, 25859, -219}, {59233176, 25640, -216}, {60050206, 25424, -211},
    {60860396, 25213, -209}, {61663866, 25004, -204}, {62460727, 24799, -201}, {63251077, 24598, -199},
    {64035034, 24399, -195}, {64812688, 24204, -192}, {65584146, 24012, -189}, {66349505, 23823, -186},
};

/// 1/sqrt(1 + t), t from 0 to 1, then 1/sqrt(2 + 2 t).
constexpr Segment kInverseRoot[] = {
    {67108861, -65531, 754}, {66590637, -64024, 725}, {66084239, -62575, 698}, {65589219, -61179, 672},
    {65105160, -59835, 648}, {64631661, -58539, 625}, {64168345, -57289, 603}, {63714853, -56083, 582},
    {63270843, -54919, 562}, {62835986, -53794, 543}, {62409972, -52708, 526}, {61992511, -51657, 508},
    {61583314, -50641, 492}, {61182118, -49658, 476}, {60788659, -48706, 461}, {60402696, -47784, 446},
    {60023990, -46891, 433}, {59652323, -46026, 420}, {59287472, -45186, 407}, {58929237, -44372, 395},
    {58577418, -43582, 383}, {58231825, -42815, 372}, {57892277, -42071, 362}, {57558601, -41348, 352},
    {57230629, -40645, 342}, {56908203, -39962, 332}, {56591163, -39298, 323}, {56279364, -38652, 314},
    {55972662, -38023, 305}, {55670920, -37412, 298}, {55374004, -36816, 290}, {55081792, -36237, 283},
    {54794158, -35672, 275}, {54510983, -35122, 268}, {54232150, -34586, 262}, {53957556, -34063, 255},
    {53687091, -33553, 248}, {53420652, -33056, 242}, {53158142, -32571, 236}, {52899461, -32098, 231},
    {52644524, -31636, 225}, {52393234, -31185, 220}, {52145511, -30745, 215}, {51901269, -30315, 210},
    {51660427, -29895, 205}, {51422906, -29485, 201}, {51188634, -29084, 196}, {50957532, -28691, 191},
    {50729534, -28308, 187}, {50504567, -27933, 183}, {50282567, -27566, 179}, {50063470, -27208, 176},
    {49847213, -26857, 172}, {49633733, -26513, 168}, {49422973, -26177, 165}, {49214874, -25848, 162},
    {49009384, -25525, 158}, {48806447, -25209, 154}, {48606010, -24900, 151}, {48408021, -24597, 148},
    {48212432, -24300, 145}, {48019192, -24009, 143}, {47828262, -23724, 140}, {47639589, -23444, 137},
    {47453129, -46337, 533}, {47086690, -45272, 513}, {46728614, -44247, 493}, {46378581, -43260, 475},
    {46036298, -42310, 459}, {45701484, -41393, 442}, {45373873, -40510, 427}, {45053204, -39657, 412},
    {44739242, -38834, 398}, {44431751, -38038, 384}, {44130517, -37270, 371}, {43835325, -36527, 359},
    {43545981, -35809, 348}, {43262290, -35113, 336}, {42984071, -34440, 326}, {42711157, -33789, 316},
    {42443371, -33157, 306}, {42180561, -32545, 297}, {41922576, -31952, 288}, {41669265, -31376, 279},
    {41420489, -30817, 271}, {41176119, -30275, 263}, {40936023, -29749, 256}, {40700079, -29237, 248},
    {40468167, -28740, 241}, {40240174, -28257, 235}, {40015993, -27788, 229}, {39795520, -27331, 222},
    {39578647, -26887, 217}, {39365286, -26454, 210}, {39155335, -26033, 205}, {38948711, -25623, 199},
    {38745319, -25224, 195}, {38545084, -24835, 190}, {38347923, -24456, 185}, {38153754, -24086, 180},
    {37962506, -23726, 176}, {37774105, -23374, 171}, {37588482, -23031, 167}, {37405570, -22697, 163},
    {37225300, -22370, 159}, {37047613, -22051, 155}, {36872445, -21740, 152}, {36699741, -21436, 148},
    {36529438, -21139, 145}, {36361486, -20849, 142}, {36195831, -20565, 138}, {36032415, -20288, 136},
    {35871195, -20017, 133}, {35712121, -19752, 130}, {35555146, -19492, 126}, {35400221, -19239, 124},
    {35247302, -18991, 122}, {35096351, -18748, 119}, {34947318, -18510, 117}, {34800172, -18277, 114},
    {34654867, -18049, 112}, {34511368, -17826, 110}, {34369639, -17607, 107}, {34229640, -17393, 105},
    {34091338, -17183, 103}, {33954697, -16977, 101}, {33819687, -16775, 99},  {33686279, -16578, 97},
};

/// 1/(1 + t), t from 0 to 1.
constexpr Segment kReciprocal[] = {
    {67108862, -65534, 1013}, {66588640, -64522, 989}, {66076420, -63533, 966}, {65572019, -62567, 945},
    {65075260, -61622, 923},  {64585974, -60699, 902}, {64103990, -59797, 883}, {63629144, -58914, 863},
    {63161282, -58051, 845},  {62700252, -57207, 827}, {62245903, -56381, 809}, {61798089, -55572, 791},
    {61356675, -54781, 774},  {60921522, -54007, 758}, {60492497, -53249, 742}, {60069472, -52507, 727},
    {59652323, -51780, 711},  {59240928, -51068, 696}, {58835168, -50371, 682}, {58434928, -49688, 669},
    {58040097, -49019, 656},  {57650567, -48363, 642}, {57266229, -47721, 631}, {56886984, -47091, 618},
    {56512727, -46473, 605},  {56143364, -45868, 594}, {55778796, -45274, 582}, {55418932, -44692, 572},
    {55063684, -44121, 561},  {54712959, -43560, 549}, {54366675, -43011, 540}, {54024745, -42471, 529},
    {53687091, -41942, 519},  {53353631, -41423, 510}, {53024286, -40913, 501}, {52698985, -40412, 490},
    {52377649, -39921, 482},  {52060210, -39439, 474}, {51746594, -38965, 465}, {51436735, -38500, 457},
    {51130563, -38043, 449},  {50828015, -37594, 441}, {50529027, -37153, 433}, {50233536, -36720, 426},
    {49941480, -36294, 418},  {49652801, -35876, 412}, {49367440, -35464, 403}, {49085340, -35060, 397},
    {48806447, -34663, 390},  {48530703, -34272, 383}, {48258058, -33888, 377}, {47988462, -33511, 371},
    {47721859, -33140, 366},  {47458202, -32774, 358}, {47197442, -32415, 353}, {46939532, -32062, 348},
    {46684427, -31714, 341},  {46432080, -31373, 337}, {46182444, -31036, 331}, {45935478, -30705, 326},
    {45691141, -30379, 320},  {45449390, -30059, 316}, {45210183, -29743, 310}, {44973479, -29432, 305},
    {44739242, -29127, 302},  {44507434, -28826, 297}, {44278014, -28529, 291}, {44050946, -28237, 287},
    {43826197, -27950, 283},  {43603728, -27667, 279}, {43383508, -27388, 274}, {43165501, -27114, 271},
    {42949673, -26843, 266},  {42735993, -26577, 263}, {42524428, -26314, 258}, {42314948, -26056, 256},
    {42107523, -25801, 251},  {41902120, -25550, 248}, {41698712, -25302, 243}, {41497268, -25058, 240},
    {41297762, -24818, 237},  {41100166, -24581, 233}, {40904451, -24348, 231}, {40710591, -24117, 226},
    {40518559, -23890, 223},  {40328331, -23667, 222}, {40139881, -23446, 218}, {39953184, -23228, 214},
    {39768216, -23014, 212},  {39584953, -22802, 208}, {39403369, -22593, 205}, {39223446, -22388, 204},
    {39045157, -22184, 199},  {38868482, -21984, 197}, {38693399, -21787, 196}, {38519886, -21592, 193},
    {38347922, -21399, 189},  {38177487, -21209, 186}, {38008561, -21022, 184}, {37841121, -20837, 182},
    {37675152, -20655, 180},  {37510631, -20475, 178}, {37347541, -20297, 175}, {37185864, -20122, 173},
    {37025580, -19949, 171},  {36866671, -19778, 169}, {36709122, -19609, 166}, {36552913, -19443, 165},
    {36398028, -19278, 161},  {36244450, -19116, 160}, {36092162, -18956, 159}, {35941149, -18797, 155},
    {35791394, -18641, 154},  {35642882, -18487, 153}, {35495597, -18334, 150}, {35349526, -18184, 149},
    {35204650, -18035, 147},  {35060957, -17888, 145}, {34918434, -17743, 143}, {34777062, -17600, 143},
    {34636833, -17458, 140},  {34497730, -17318, 138}, {34359739, -17180, 137}, {34222847, -17043, 135},
    {34087042, -16908, 133},  {33952311, -16775, 132}, {33818639, -16643, 131}, {33686017, -16513, 130},
};

/// sqrt(1 + t), t from 0 to 1, then sqrt(2 + 2 t).
constexpr Segment kRoot[] = {
    {33554432, 65535, -506}, {33815560, 65029, -494}, {34074687, 64534, -482}, {34331858, 64051, -472},
    {34587117, 63578, -461}, {34840506, 63116, -452}, {35092065, 62664, -443}, {35341834, 62221, -434},
    {35589850, 61787, -424}, {35836149, 61363, -417}, {36080767, 60947, -408}, {36323738, 60539, -399},
    {36565095, 60139, -391}, {36804868, 59748, -385}, {37043090, 59363, -376}, {37279789, 58987, -370},
    {37514995, 58617, -363}, {37748736, 58254, -357}, {37981038, 57898, -351}, {38211928, 57548, -344},
    {38441431, 57204, -337}, {38669572, 56867, -332}, {38896375, 56535, -325}, {39121863, 56209, -319},
    {39346059, 55889, -315}, {39568985, 55574, -309}, {39790662, 55264, -304}, {40011110, 54960, -299},
    {40230351, 54660, -294}, {40448403, 54366, -290}, {40665286, 54076, -285}, {40881019, 53790, -280},
    {41095618, 53510, -277}, {41309104, 53233, -272}, {41521491, 52961, -268}, {41732798, 52693, -265},
    {41943040, 52429, -261}, {42152234, 52168, -255}, {42360394, 51912, -252}, {42567536, 51660, -249},
    {42773676, 51410, -244}, {42978827, 51165, -242}, {43183003, 50923, -238}, {43386218, 50685, -236},
    {43588486, 50449, -231}, {43789819, 50218, -229}, {43990231, 49989, -226}, {44189735, 49763, -222},
    {44388341, 49541, -221}, {44586063, 49321, -217}, {44782912, 49104, -214}, {44978899, 48890, -211},
    {45174037, 48678, -207}, {45368334, 48471, -207}, {45561804, 48264, -202}, {45754455, 48061, -200},
    {45946298, 47861, -199}, {46137344, 47662, -194}, {46327602, 47467, -194}, {46517082, 47273, -190},
    {46705793, 47082, -188}, {46893744, 46894, -187}, {47080946, 46707, -184}, {47267406, 46523, -182},
    {47453133, 92680, -714}, {47822424, 91964, -697}, {48188884, 91266, -684}, {48552579, 90582, -668},
    {48913570, 89914, -655}, {49271916, 89260, -641}, {49627674, 88620, -626}, {49980900, 87994, -613},
    {50331648, 87380, -599}, {50679968, 86780, -588}, {51025910, 86192, -577}, {51369523, 85616, -567},
    {51710853, 85050, -554}, {52049944, 84496, -544}, {52386840, 83952, -531}, {52721584, 83420, -524},
    {53054216, 82896, -512}, {53384774, 82384, -505}, {53713299, 81880, -496}, {54039827, 81384, -484},
    {54364394, 80898, -476}, {54687033, 80422, -470}, {55007782, 79952, -459}, {55326670, 79492, -453},
    {55643731, 79038, -443}, {55958995, 78594, -439}, {56272493, 78156, -431}, {56584254, 77726, -425},
    {56894307, 77302, -417}, {57202680, 76884, -408}, {57509399, 76474, -401}, {57814491, 76072, -399},
    {58117981, 75674, -391}, {58419895, 75282, -383}, {58720256, 74898, -379}, {59019089, 74518, -372},
    {59316416, 74146, -370}, {59612260, 73778, -364}, {59906644, 73414, -356}, {60199587, 73058, -353},
    {60491112, 72706, -348}, {60781240, 72358, -341}, {61069988, 72016, -336}, {61357378, 71678, -330},
    {61643428, 71346, -327}, {61928157, 71018, -323}, {62211582, 70694, -317}, {62493722, 70376, -316},
    {62774594, 70060, -309}, {63054215, 69750, -306}, {63332601, 69444, -303}, {63609770, 69140, -297},
    {63885735, 68842, -294}, {64160514, 68548, -293}, {64434121, 68256, -287}, {64706571, 67968, -282},
    {64977878, 67686, -282}, {65248058, 67404, -275}, {65517123, 67128, -273}, {65785088, 66854, -269},
    {66051966, 66584, -266}, {66317769, 66318, -264}, {66582512, 66054, -261}, {66846206, 65794, -259},
};

// ---- as many lanes at once as a vector of this CPU has words ----

using Words [[gnu::vector_size(sizeof(Doubles))]] = u32;
using Integers [[gnu::vector_size(sizeof(Doubles))]] = s32;
using Singles [[gnu::vector_size(sizeof(Doubles))]] = float;
using Longs [[gnu::vector_size(sizeof(Doubles))]] = u64;
using Shorts [[gnu::vector_size(sizeof(Doubles) / 2)]] = u16;
using SignedShorts [[gnu::vector_size(sizeof(Doubles) / 2)]] = s16;
constexpr int kWords = sizeof(Words) / sizeof(u32);

/// Numbers that are exact as doubles: those of even lanes, and of odd ones.
struct DoublePair {
  Doubles even, odd;
};
/// The double 2^52, whose lowest bits count from 1.
constexpr u64 kCounts = 0x4330000000000000;
constexpr u64 kDigits = 0xfffffffffffff;
inline Words joined(Longs even, Longs odd) { return (Words)((even & 0xffffffff) | odd << 32); }
/// (x - less) * 2^shift
template <int shift = 0>
inline DoublePair doubles_of(Words x, u64 less = 0) {
  constexpr u64 counts = kCounts + (u64{shift} << 52);
  const Doubles zero = Doubles{} + bits_as<double>(counts + less);
  return {(Doubles)(((Longs)x & 0xffffffff) | counts) - zero, (Doubles)((Longs)x >> 32 | counts) - zero};
}
/// Of whole numbers from 0 to 2^52.
inline Longs longs_of(Doubles x) { return (Longs)(x + 0x1p52) & kDigits; }

/// One column of a table, which vectors look up: raised, so that no number is negative.
constexpr u32 kRaised = 1u << 31;
template <std::size_t count>
struct Column {
  alignas(sizeof(Doubles)) u32 of[count];
};
template <std::size_t count>
constexpr Column<count> column(const Segment (&table)[count], int Segment::*member) {
  Column<count> result{};
  for (std::size_t i = 0; i < count; ++i) result.of[i] = static_cast<u32>(table[i].*member) + kRaised;
  return result;
}
template <std::size_t count>
inline Words looked_up(const Column<count>& column, Words number) {
#if defined(__AVX512F__)
  // A gather takes several times as long as selecting among what lies in registers.
  const auto* const at = reinterpret_cast<const Integers*>(column.of);
  const auto of_32 = [&](std::size_t first) {
#if defined(__clang__)
    return (Words)__builtin_ia32_vpermi2vard512(at[first / 16], (Integers)number, at[first / 16 + 1]);
#else
    return (Words)__builtin_shuffle(at[first / 16], at[first / 16 + 1], (Integers)number);
#endif
  };
  const auto of_64 = [&](std::size_t first) { return (number & 32) != 0 ? of_32(first + 32) : of_32(first); };
  if constexpr (count == 64)
    return of_64(0);
  else
    return (number & 64) != 0 ? of_64(64) : of_64(0);
#else
  Words result;
  for (int i = 0; i < kWords; ++i) result[i] = column.of[number[i]];
  return result;
#endif
}

/// x^2 / 2^19 of 17 bits, about: each partial product is cut off by itself. Those of two of the upper eight bits are
/// all there, those of two of the lower nine are all cut off.
inline Words cut_square(Words x) {
  const Shorts upper = __builtin_convertvector(x >> 9, Shorts), lower = __builtin_convertvector(x, Shorts);
  const auto product = [&](int i) { return (Shorts)((SignedShorts)(lower << (15 - i)) >> 15) & (upper >> (9 - i)); };
  Shorts sum = product(2), other = product(3);
  for (int i = 4; i < 8; i += 2) {
    sum += product(i);
    other += product(i + 1);
  }
  sum += other + product(8);
  return __builtin_convertvector((upper * upper + 2 * sum) >> 1, Words);
}
/// A table, and what its constants and curves are to be multiplied by: powers of two.
template <std::size_t count, int constant_shift, int curve_shift>
struct Parabolas {
  Column<count> constants, slopes, curves;
  constexpr explicit Parabolas(const Segment (&table)[count])
      : constants(column(table, &Segment::constant)),
        slopes(column(table, &Segment::slope)),
        curves(column(table, &Segment::curve)) {}
  /// At places t of 23 bits, or 24.
  [[gnu::always_inline]] inline DoublePair at(Words t) const {
    const Words number = t >> 17, x = t & 0x1ffff;
    const DoublePair constant = doubles_of<constant_shift>(looked_up(constants, number), kRaised);
    const DoublePair slope = doubles_of(looked_up(slopes, number), kRaised);
    const DoublePair curve = doubles_of<curve_shift>(looked_up(curves, number), kRaised);
    const DoublePair place = doubles_of(x), square = doubles_of(cut_square(x));
    return {constant.even + slope.even * place.even + curve.even * square.even,
            constant.odd + slope.odd * place.odd + curve.odd * square.odd};
  }
};
constexpr Parabolas<64, 11, 0> kSines(kSine);
constexpr Parabolas<64, 13, 0> kPowers(kPower);
constexpr Parabolas<64, 12, 1> kLogarithms(kLogarithm);
constexpr Parabolas<128, 14, 2> kInverseRoots(kInverseRoot);
constexpr Parabolas<128, 13, 0> kReciprocals(kReciprocal);
constexpr Parabolas<128, 15, 1> kRoots(kRoot);

/// Whole numbers / 2^point as floats, cut off.
template <int point>
inline Words cut_off(const DoublePair& value) {
  // As doubles they have the float's digits at their top. Scaled so that the exponent of all but zero keeps some bit
  // among the lowest nine, which is what becomes of it.
  constexpr u32 scale = 64, bias = (1023 - 127 - scale) % 512;
  constexpr double unit = 1 / static_cast<double>(u64{1} << (point + scale - 64)) / 0x1p64;
  const auto digits = [&](Doubles x) { return (Longs)(x * unit) >> 29; };
  const Words bits = joined(digits(value.even), digits(value.odd));
  return bits == 0 ? bits : bits - (bias << 23);
}
constexpr u32 kNoNumber = 0x7fffffff;
inline Words words_of(u32 x) { return Words{} + x; }
inline Words limited(Words shift) { return shift > 31 ? words_of(31) : shift; }

/// The angle is first multiplied by 1 / (2 pi), as a float, towards zero; of a quarter turn 23 bits count.
template <u32 quarters>
inline Singles sine_at(Singles a) {
  const Words bits = (Words)a, exponent = bits >> 23 & 0xff;
  const DoublePair mantissa = doubles_of((bits & 0x7fffff) | 0x800000);
  constexpr double of_turn = 0x1p26 * static_cast<double>(0.15915494F);
  const auto digits = [&](Doubles x) {  // 24 of them, as a multiple of 2^23
    const auto product = (Longs)(x * of_turn) & ~((u64{1} << 29) - 1);
    return longs_of((Doubles)product) >> 23;
  };
  const Words product = joined(digits(mantissa.even), digits(mantissa.odd));
  const Words shifted = exponent < 128 ? product >> limited(128 - exponent)
                                       : product << limited(exponent < 128 ? exponent : exponent - 128);
  const Words place = shifted & 0x1ffffff, quarter = (place >> 23) + quarters;
  const Words t = (place ^ (0 - (quarter & 1))) & 0x7fffff;
  const Words sign = (quarter << 30 & 0x80000000) ^ (quarters == 0 ? bits & 0x80000000 : Words{});
  const Words result = cut_off<37>(kSines.at(t)) | sign;
  return (Singles)(exponent == 255 ? words_of(kNoNumber) : result);
}

/// The exponent in 23 bits behind the point, cut off; of a negative one the complement, for its fraction counts from
/// below. Without .ftz the compiler scales what is too small for the unit.
inline Singles unit_power(Singles a) {
  const auto scaled = (a < -126) & (a >= -1000);
  const Words bits = (Words)(scaled ? a * 0.5F : a), exponent = bits >> 23 & 0xff;
  const Words mantissa = (bits & 0x7fffff) | 0x800000;
  const Words fixed = exponent < 127 ? mantissa >> limited(127 - exponent) : mantissa << limited(exponent - 127);
  const auto negative = (Integers)bits < 0;
  const Words below = ~fixed + ((fixed & 0x7fffff) == 0 ? words_of(1) : Words{});
  const Words exact = negative ? below : fixed;
  const DoublePair power = kPowers.at(exact & 0x7fffff);
  const Words result = joined(longs_of(power.even + 0x77e2) >> 15, longs_of(power.odd + 0x77e2) >> 15);  // 2^23 to 2^24
  const auto whole = (Integers)(Words)((Integers)exact >> 23) + (Integers)(result >> 24) + 127;
  const Words finite = (Words)whole << 23 | (result & 0x7fffff);
  const Words infinite = words_of(0x7f800000);
  const Words in_range = whole <= 0 ? Words{} : whole >= 255 ? infinite : finite;
  const Words found = exponent < 127 + 7 ? in_range : negative ? Words{} : infinite;
  const auto root = (Singles)found;
  return a != a ? (Singles)words_of(kNoNumber) : scaled ? root * root : root;
}

inline Singles unit_logarithm(Singles a) {
  const auto small = (Words)a < 0x800000;
  const Words bits = (Words)(small ? a * 0x1p24F : a);
  const Words t = bits & 0x7fffff;
  // The exponent is raised, so that what is cut off is positive.
  constexpr u32 raised = 1024;
  const DoublePair logarithm = kLogarithms.at(t), exponent = doubles_of((bits >> 23) + (raised - 127));
  Longs negative_halves[2];
  const auto magnitude = [&](Doubles x, Doubles e, Longs& negative) {
    const Longs value = (longs_of(x + e * 0x1p38 + 0x3345) >> 2) - (u64{raised} << 36);
    negative = 0 - (value >> 63);
    return (Doubles)((value ^ negative) | kCounts) - 0x1p52;
  };
  const DoublePair magnitudes{magnitude(logarithm.even, exponent.even, negative_halves[0]),
                              magnitude(logarithm.odd, exponent.odd, negative_halves[1])};
  const Words sign = joined(negative_halves[0], negative_halves[1]) & 0x80000000;
  const Words is_one = (Words)(bits == 0x3f800000);
  const auto normal = (Singles)((cut_off<36>(magnitudes) | sign) & ~is_one);
  const Words result = (Words)(small ? normal - 24 : normal);
  const Words given = (Words)a;
  const Words special = (given & 0x7fffffff) == 0 ? words_of(0xff800000)
                        : given == 0x7f800000     ? given
                                                  : words_of(kNoNumber);
  return (Singles)((given - 1 < 0x7f7fffff) ? result : special);
}

inline Singles unit_inverse_root(Singles a) {
  const auto small = (Words)a < 0x800000;
  const Words bits = (Words)(small ? a * 0x1p24F : a);
  const Words raised = (bits >> 23) + 1;  // the exponent and 128
  const Words t = (bits & 0x7fffff) | (raised & 1) << 23, half = raised >> 1;
  const DoublePair root = kInverseRoots.at(t);
  const Words result = joined(longs_of(root.even + 0x7fff) >> 16, longs_of(root.odd + 0x7fff) >> 16);  // 2^23 to 2^24
  const Words normal =
      t == 0 ? (127 + 64 - half) << 23 : (126 + 64 - half + (result >> 24)) << 23 | (result & 0x7fffff);
  const Words found = (Words)(small ? (Singles)normal * 0x1p12F : (Singles)normal);
  const Words given = (Words)a;
  const Words special = (given & 0x7fffffff) == 0 ? (given & 0x80000000) | 0x7f800000
                        : given == 0x7f800000     ? Words{}
                                                  : words_of(kNoNumber);
  return (Singles)((given - 1 < 0x7f7fffff) ? found : special);
}

inline Singles unit_root(Singles a) {
  const auto small = (Words)a < 0x800000;
  const Words bits = (Words)(small ? a * 0x1p24F : a);
  const Words raised = (bits >> 23) + 1;  // the exponent and 128
  const DoublePair root = kRoots.at((bits & 0x7fffff) | (raised & 1) << 23);
  const Words digits = joined(longs_of(root.even + 0x7fff) >> 17, longs_of(root.odd + 0x7fff) >> 17);  // 2^23 to 2^24
  const auto normal = (Singles)((((raised >> 1) + 62) << 23) + digits);
  const auto found = (Words)(small ? normal * 0x1p-12F : normal);
  const Words given = (Words)a;
  const Words special = (((given & 0x7fffffff) == 0) | (given == 0x7f800000)) ? given : words_of(kNoNumber);
  return (Singles)((given - 1 < 0x7f7fffff) ? found : special);
}

/// 24 digits of 2/(1 + t), cut off; t of 23 bits, of which the lower 16 count within a segment. What falls is one
/// product of 32 bits; taken away by parts, it needs no more.
inline Words reciprocal_digits(Words t) {
  const Words number = t >> 16, x = t & 0xffff;
  const Words constant = looked_up(kReciprocals.constants, number) - kRaised;
  const Words fall = (kRaised - looked_up(kReciprocals.slopes, number)) * x;
  const Words curve = (looked_up(kReciprocals.curves, number) - kRaised) * cut_square(x << 1);
  const Words rest = ((constant & 3) << 13) + curve + 0x47e7 - (fall & 0x7fff);
  return (constant >> 2) - (fall >> 15) + (Words)((Integers)rest >> 15);
}
/// Of numbers below 2^-126 an infinity, and zero instead of such numbers.
inline Singles unit_reciprocal(Singles a) {
  const Words bits = (Words)a, sign = bits & 0x80000000, exponent = bits >> 23 & 0xff;
  const Words digits = reciprocal_digits(bits & 0x7fffff);  // 2^23 to 2^24
  const Words finite = ((253 - exponent) << 23) + digits - 0x800000;
  const Words normal = (Integers)finite < 0x800000 ? Words{} : finite;
  const Words in_range = exponent == 0 ? words_of(0x7f800000) : exponent == 255 ? Words{} : normal;
  return (Singles)(a != a ? words_of(kNoNumber) : in_range | sign);
}

inline Singles flushed(Singles x) {
  const auto bits = (Words)x;
  return (Singles)((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}

inline Singles singles_at(const float* from) {
  Singles x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
/// Writes f(i) of as many lanes as a vector has, from lane i on, where some of them is active.
template <typename F>
[[gnu::always_inline]] inline const MicroOp* for_vectors(Warp& w, const MicroOp* op, F f) {
  float* to = values<float>(w, op, 0);
  for (int first = 0; first < kLanes; first += kWords) {
    if ((w.mask >> first & (~0u >> (32 - kWords))) == 0) continue;
    Integers active;
    std::memcpy(&active, w.lanes + first, sizeof active);
    const Singles d = active != 0 ? f(first) : singles_at(to + first);
    std::memcpy(to + first, &d, sizeof d);
  }
  return following(w, op);
}
/// F and G: with .ftz.
template <Singles (*F)(Singles), Singles (*G)(Singles) = F>
struct UnitOp {
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const float* from = values<float>(w, op, 1);
    if (op->mods & kFtz) return for_vectors(w, op, [&](int i) { return flushed(G(flushed(singles_at(from + i)))); });
    return for_vectors(w, op, [&](int i) { return F(singles_at(from + i)); });
  }
};
template <Singles (*F)(Singles), Singles (*G)(Singles) = F>
constexpr Meaning of_unit() {
  return {.run = &UnitOp<F, G>::run, .operands = {{{Role::out, Kind::f32}, {Role::in, Kind::f32}}}};
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
