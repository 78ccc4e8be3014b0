//! Curves for TensorBoard: event files, written and read by hand.
//!
//! An event file is a sequence of records: length (8 bytes), masked checksum of the length, data,
//! masked checksum of the data. The data is a protobuf `Event { double wall_time = 1; int64 step =
//! 2; string file_version = 3; Summary summary = 5 }` whose summary holds `Value { string tag = 1;
//! float simple_value = 2 }`.

/// A point of a curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Scalar {
    /// When it was measured, in seconds since 1970.
    pub wall_time: f64,
    /// Games played.
    pub step: u64,
    /// The name of the curve.
    pub tag: String,
    /// The value.
    pub value: f32,
}

/// An event file of these points.
pub fn write(scalars: &[Scalar]) -> Vec<u8> {
    let mut version = Vec::new();
    let first = scalars.first().map_or(0.0, |scalar| scalar.wall_time);
    double(&mut version, 1, first);
    bytes(&mut version, 3, b"brain.Event:2");
    let mut file = Vec::new();
    record(&mut file, &version);
    file.extend(events(scalars));
    file
}

/// The part of an event file that holds these points: what is appended when they are new.
pub fn events(scalars: &[Scalar]) -> Vec<u8> {
    let mut file = Vec::new();
    for scalar in scalars {
        let mut value = Vec::new();
        bytes(&mut value, 1, scalar.tag.as_bytes());
        value.push(2 << 3 | 5);
        value.extend(scalar.value.to_le_bytes());
        let mut summary = Vec::new();
        bytes(&mut summary, 1, &value);
        let mut event = Vec::new();
        double(&mut event, 1, scalar.wall_time);
        event.push(2 << 3);
        varint(&mut event, scalar.step);
        bytes(&mut event, 5, &summary);
        record(&mut file, &event);
    }
    file
}

/// The points of an event file that [`write()`] wrote, as far as it is sound.
pub fn read(mut file: &[u8]) -> Vec<Scalar> {
    let mut scalars = Vec::new();
    while let Some(event) = next_record(&mut file) {
        let mut scalar = Scalar {
            wall_time: 0.0,
            step: 0,
            tag: String::new(),
            value: 0.0,
        };
        let mut has_value = false;
        for (number, field) in fields(event) {
            match (number, field) {
                (1, Field::Eight(bits)) => scalar.wall_time = f64::from_bits(bits),
                (2, Field::Varint(step)) => scalar.step = step,
                (5, Field::Bytes(summary)) => {
                    for (number, value) in fields(summary) {
                        let (1, Field::Bytes(value)) = (number, value) else {
                            continue;
                        };
                        has_value = true;
                        for (number, field) in fields(value) {
                            match (number, field) {
                                (1, Field::Bytes(tag)) => {
                                    scalar.tag = String::from_utf8_lossy(tag).into_owned();
                                }
                                (2, Field::Four(bits)) => scalar.value = f32::from_bits(bits),
                                _ => {}
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        if has_value {
            scalars.push(scalar);
        }
    }
    scalars
}

fn record(file: &mut Vec<u8>, data: &[u8]) {
    let length = (data.len() as u64).to_le_bytes();
    file.extend(length);
    file.extend(masked_crc(&length).to_le_bytes());
    file.extend(data);
    file.extend(masked_crc(data).to_le_bytes());
}

fn next_record<'a>(file: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = file.split_first_chunk::<8>()?;
    let (check, rest) = rest.split_first_chunk::<4>()?;
    if masked_crc(length) != u32::from_le_bytes(*check) {
        return None;
    }
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (data, rest) = rest.split_at_checked(length)?;
    let (check, rest) = rest.split_first_chunk::<4>()?;
    if masked_crc(data) != u32::from_le_bytes(*check) {
        return None;
    }
    *file = rest;
    Some(data)
}

enum Field<'a> {
    Varint(u64),
    Eight(u64),
    Four(u32),
    Bytes(&'a [u8]),
}

/// The fields of a protobuf message, as far as it is sound.
fn fields(mut message: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut fields = Vec::new();
    while let Some(field) = next_field(&mut message) {
        fields.push(field);
    }
    fields
}

fn next_field<'a>(message: &mut &'a [u8]) -> Option<(u64, Field<'a>)> {
    let key = next_varint(message)?;
    let field = match key & 7 {
        0 => Field::Varint(next_varint(message)?),
        1 => {
            let (bits, rest) = message.split_first_chunk::<8>()?;
            *message = rest;
            Field::Eight(u64::from_le_bytes(*bits))
        }
        2 => {
            let length = usize::try_from(next_varint(message)?).ok()?;
            let (bytes, rest) = message.split_at_checked(length)?;
            *message = rest;
            Field::Bytes(bytes)
        }
        5 => {
            let (bits, rest) = message.split_first_chunk::<4>()?;
            *message = rest;
            Field::Four(u32::from_le_bytes(*bits))
        }
        _ => return None,
    };
    Some((key >> 3, field))
}

fn next_varint(message: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = message.split_first()?;
        *message = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn bytes(out: &mut Vec<u8>, field: u8, bytes: &[u8]) {
    out.push(field << 3 | 2);
    varint(out, bytes.len() as u64);
    out.extend(bytes);
}

fn double(out: &mut Vec<u8>, field: u8, value: f64) {
    out.push(field << 3 | 1);
    out.extend(value.to_le_bytes());
}

/// TensorFlow's mask over CRC-32C, which keeps checksums of checksums honest.
fn masked_crc(data: &[u8]) -> u32 {
    let crc = data.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg())
        })
    });
    (!crc).rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        // CRC-32C of "123456789" is 0xe3069283 (RFC 3720).
        let expected = 0xe306_9283_u32.rotate_right(15).wrapping_add(0xa282_ead8);
        assert_eq!(masked_crc(b"123456789"), expected);
    }

    #[test]
    fn points_survive_the_file_and_a_torn_end_costs_only_itself() {
        let scalar = |step, value| Scalar {
            wall_time: 1.5e9 + step as f64,
            step,
            tag: "training/win rate".into(),
            value,
        };
        let scalars = vec![scalar(0, 0.0), scalar(300, 0.25), scalar(1 << 40, -1.0)];
        let file = write(&scalars);
        assert_eq!(read(&file), scalars);
        assert_eq!(read(&file[..file.len() - 1]), scalars[..2]);
        assert_eq!(read(&[]), []);
    }
}
