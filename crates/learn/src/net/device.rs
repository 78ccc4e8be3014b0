//! Devices by name.

use burn::tensor::Device;

use crate::LearnError;

/// The processor.
pub(super) fn cpu() -> Device {
    Device::flex()
}

/// What is said when there is no device of this name in this program.
pub(crate) fn no_such_device(name: &str) -> LearnError {
    LearnError::BadSetting {
        name: "device".into(),
        value: name.into(),
        why: "cpu; or cuda and libtorch in a program built with --features libtorch".into(),
    }
}
