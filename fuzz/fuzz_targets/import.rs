#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lucena_fuzz::import(data));
