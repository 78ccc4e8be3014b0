//! The measurements that are kept with the project are embedded: built again when one comes or changes.

fn main() {
    println!("cargo::rerun-if-changed=../../measurements");
    println!("cargo::rerun-if-changed=build.rs");
}
