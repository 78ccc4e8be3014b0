//! Devices by name. Which ones there are is known here and nowhere else.

use burn::tensor::Device;

use crate::LearnError;

/// Where networks are trained by a program that was built for a GPU, and by any other.
pub const FASTEST: &str = if cfg!(feature = "cuda") {
    "cuda"
} else {
    "cpu"
};

/// The processor.
pub(super) fn cpu() -> Device {
    Device::flex()
}

/// The device that a name stands for, without differentiation: `cpu`, or `cuda` in a program built
/// for it.
///
/// # Errors
/// When there is no such device in this program.
pub(super) fn named(name: &str) -> Result<Device, LearnError> {
    match name {
        "cpu" => Ok(cpu()),
        #[cfg(feature = "cuda")]
        "cuda" => Ok(Device::cuda(0)),
        _ => Err(LearnError::BadSetting {
            name: "device".into(),
            value: name.into(),
            why: "cpu, or cuda in a program built with --features cuda".into(),
        }),
    }
}

/// Is it the processor, which likes other shapes of work than a GPU?
pub(super) fn is_cpu(device: &Device) -> bool {
    *device == cpu()
}
