//! A policy's moves on disk while they are being asked for, so that a slow survey can be resumed.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::Path,
};

use rules::plain_file;

use super::survey::PackedMove;

/// An append-only file of batches: length, checksum, moves. A batch that was cut off by a crash
/// fails its checksum and is asked for again.
pub(crate) struct Journal {
    file: File,
    moves: Vec<PackedMove>,
}

impl Journal {
    pub fn open(path: &Path) -> io::Result<Journal> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        plain_file::may_be_used(path, plain_file::TABLE)?;
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut moves = Vec::new();
        let mut good = 0;
        while let Some(batch) = whole_batch(&bytes[good..]) {
            moves.extend(batch.iter().copied());
            good += 8 + batch.len() * 2;
        }
        file.set_len(good as u64)?;
        Ok(Journal { file, moves })
    }

    /// What earlier runs have written.
    pub fn take_moves(&mut self) -> Vec<PackedMove> {
        std::mem::take(&mut self.moves)
    }

    pub fn append(&mut self, batch: &[PackedMove]) -> io::Result<()> {
        let bytes: Vec<u8> = batch.iter().flat_map(|m| m.0.to_le_bytes()).collect();
        let mut record = Vec::with_capacity(8 + bytes.len());
        record.extend((batch.len() as u32).to_le_bytes());
        record.extend(crc32fast::hash(&bytes).to_le_bytes());
        record.extend(bytes);
        self.file.write_all(&record)?;
        self.file.sync_data()
    }
}

/// The first batch of `bytes`, if it is all there and sound.
fn whole_batch(bytes: &[u8]) -> Option<Vec<PackedMove>> {
    let (head, rest) = bytes.split_at_checked(8)?;
    let length = u32::from_le_bytes(head[..4].try_into().ok()?) as usize;
    let checksum = u32::from_le_bytes(head[4..].try_into().ok()?);
    let body = rest.get(..length.checked_mul(2)?)?;
    (crc32fast::hash(body) == checksum).then(|| {
        body.chunks_exact(2)
            .map(|m| PackedMove(u16::from_le_bytes([m[0], m[1]])))
            .collect()
    })
}
