//! Memory through which numbers go to a device and come back.
//!
//! A GPU reads memory that stays where it is several times as fast as any other, but to get such memory
//! takes long: so it is used again and again.

use std::sync::{Mutex, PoisonError};

use tch::{Device, Kind, Tensor, kind::Element};

/// Memory on the processor for numbers of any kind.
pub(crate) struct Buffer {
    /// Bytes of it.
    memory: Tensor,
    device: Device,
}

/// Memory that is not in use.
static UNUSED: Mutex<Vec<Buffer>> = Mutex::new(Vec::new());

impl Buffer {
    /// Memory for so many numbers on their way to a device or back; what it holds is anything.
    pub fn of<T: Element>(count: usize, device: Device) -> Buffer {
        let bytes = (count * T::KIND.elt_size_in_bytes()) as i64;
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |buffer: &Buffer| {
            let has = buffer.memory.size()[0];
            buffer.device == device && (bytes..=2 * bytes + (1 << 20)).contains(&has)
        };
        if let Some(place) = unused.iter().position(fits) {
            return unused.swap_remove(place);
        }
        // Some more than is asked for, because next time it may be a little more.
        let memory = Tensor::zeros([bytes + bytes / 4], (Kind::Uint8, Device::Cpu));
        let memory = match device {
            Device::Cpu => memory,
            device => memory.pin_memory(device),
        };
        Buffer { memory, device }
    }

    /// The first numbers in it.
    pub fn numbers<T: Element>(&mut self, count: usize) -> &mut [T] {
        assert!(self.part::<T>(count).is_contiguous());
        // SAFETY: the tensor has so many bytes (otherwise the line before has panicked), lies on the
        // processor, begins where any number may begin, and belongs to this buffer alone; every pattern of
        // bits is a number of any of the kinds that tensors have.
        unsafe { std::slice::from_raw_parts_mut(self.memory.data_ptr().cast(), count) }
    }

    fn part<T: Element>(&self, count: usize) -> Tensor {
        let bytes = count * T::KIND.elt_size_in_bytes();
        self.memory.narrow(0, 0, bytes as i64)
    }

    /// The first numbers on the device, and the memory for others to use.
    pub fn send<T: Element>(self, sides: &[i64]) -> Tensor {
        let count = sides.iter().product::<i64>() as usize;
        let part = self.part::<T>(count);
        let there = match self.device {
            Device::Cpu => part.copy(),
            device => part.to_device(device),
        };
        self.leave();
        there.view_dtype(T::KIND).view(sides)
    }

    /// Memory with the numbers of a tensor from the device.
    pub fn fetch<T: Element>(tensor: &Tensor) -> Buffer {
        let buffer = Buffer::of::<T>(tensor.numel(), tensor.device());
        let bytes = tensor.contiguous().view([-1]).view_dtype(Kind::Uint8);
        let mut part = buffer.part::<T>(tensor.numel());
        part.copy_(&bytes);
        buffer
    }

    /// Leaves the memory for others to use.
    pub fn leave(self) {
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        // Sizes that are not asked for any more should not stay for ever.
        if unused.len() >= 32 {
            unused.remove(0);
        }
        unused.push(self);
    }
}
