#pragma once
// A site's files in their folder: all of them or none, and never among somebody else's.

#include <string>
#include <vector>

namespace gpulab {

struct SiteFile {
  std::string name;  ///< without folders
  std::string text;
};

/// Throws usage_error where `folder` holds anything but a site of ours, or is no folder.
void check_site_folder(const std::string& folder);

/// Written beside the folder and then put in its place, so that a reader never sees half of it; a site of ours that was
/// there is replaced. Throws usage_error as check_site_folder() does, and where nothing can be written.
void write_site(const std::string& folder, const std::vector<SiteFile>& files);

}  // namespace gpulab
