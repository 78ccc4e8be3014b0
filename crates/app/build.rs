//! The page is embedded when it has been built; without Node the folder is empty and the server
//! says how to build it. The folder must exist, or cargo would build this crate again every time.

fn main() {
    let dist = "../../web/dist";
    // Where the folder cannot be made, nothing is embedded, which is what an empty one means.
    let _ = std::fs::create_dir_all(dist);
    println!("cargo::rerun-if-changed={dist}");
    println!("cargo::rerun-if-changed=build.rs");
}
