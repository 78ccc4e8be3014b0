/// A kind of number that an observation can be written as, so that the array of a network or of
/// NumPy is filled directly.
///
/// Whole numbers that do not fit are cut off at the largest that does.
pub trait Number: Copy + Send + Sync + 'static {
    /// Nothing there.
    const ZERO: Self;
    /// Something there.
    const ONE: Self;

    /// A whole number.
    fn whole(number: i32) -> Self;

    /// A count that matters in comparison with `scale`: their quotient where there are fractions,
    /// else the count itself.
    fn scaled(count: u32, scale: u32) -> Self;
}

impl Number for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;

    #[inline]
    fn whole(number: i32) -> f32 {
        number as f32
    }

    #[inline]
    fn scaled(count: u32, scale: u32) -> f32 {
        count as f32 / scale as f32
    }
}

/// True for everything but zero.
impl Number for bool {
    const ZERO: bool = false;
    const ONE: bool = true;

    #[inline]
    fn whole(number: i32) -> bool {
        number != 0
    }

    #[inline]
    fn scaled(count: u32, _: u32) -> bool {
        count != 0
    }
}

macro_rules! whole_numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            const ZERO: $number = 0;
            const ONE: $number = 1;

            #[inline]
            fn whole(number: i32) -> $number {
                number.clamp(i32::from(<$number>::MIN), i32::from(<$number>::MAX)) as $number
            }

            #[inline]
            fn scaled(count: u32, _: u32) -> $number {
                <$number>::whole(count.min(i32::MAX as u32) as i32)
            }
        }
    )*};
}

whole_numbers!(i8, u8, i16);
