//! PGN files made into one file of games, on all cores.
//!
//! One thread unpacks and cuts the text, others read the pieces, and what comes of them is written in
//! the order of the text: the file is the same whatever the number of threads. The unfinished file is
//! its own journal: after an interruption its last whole block says where to go on.

use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::Duration,
};

use super::{
    Filter, GamesError, Origin, Summary,
    pieces::{Piece, Pieces},
    reading,
    source::{Source, Watch},
    unfinished::Unfinished,
};

/// What to import, and where to.
#[derive(Clone, Debug)]
pub struct Import {
    /// PGN files, plain or packed by zstd, gzip, bzip2 or zip.
    pub files: Vec<PathBuf>,
    /// The file to make.
    pub out: PathBuf,
    /// Which games are wanted.
    pub filter: Filter,
    /// Drop games whose start and moves were there before?
    pub drop_duplicates: bool,
    /// Overwrite what is there, and forget an unfinished import?
    pub force: bool,
    /// How many threads read; one per processor when not given.
    pub threads: Option<NonZeroUsize>,
}

/// How far an import has come.
#[derive(Clone, Copy, Debug)]
pub struct ImportProgress {
    /// Bytes read, as they lie on the disk.
    pub bytes: u64,
    /// Bytes there are.
    pub of: u64,
    /// Games read.
    pub games: u64,
}

/// Pieces on their way for each thread: enough that none waits, few enough to bound the memory.
const IN_FLIGHT: usize = 4;
/// Progress is told so often.
const TELL_EVERY: Duration = Duration::from_millis(50);

impl Import {
    /// An import of everything.
    pub fn new(files: Vec<PathBuf>, out: PathBuf) -> Import {
        Import {
            files,
            out,
            filter: Filter::default(),
            drop_duplicates: false,
            force: false,
            threads: None,
        }
    }

    /// Imports. When the same import was interrupted before, it goes on, and the file it makes is
    /// the same, byte for byte.
    ///
    /// # Errors
    /// When a file cannot be opened or written, the file to make is there already, or `stop` was set;
    /// what was finished until then is kept for the next time.
    pub fn run(
        &self,
        progress: &mut dyn FnMut(ImportProgress),
        stop: &AtomicBool,
    ) -> Result<Summary, GamesError> {
        let sources: Vec<Source> = self
            .files
            .iter()
            .map(|path| Source::open(path))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect();
        let origin = Origin {
            sources: sources.iter().map(|source| source.info.clone()).collect(),
            filter: self.filter.clone(),
            drop_duplicates: self.drop_duplicates,
        };
        if self.out.exists() && !self.force {
            return Err(GamesError::Exists(self.out.clone()));
        }
        let mut unfinished = Unfinished::open(&self.out, &origin, self.force)?;
        let of = self.files.iter().map(|path| size(path)).sum();
        self.read(&sources, &mut unfinished, of, progress, stop)?;
        unfinished.finish(&self.out)
    }

    /// Reads all that has not been read yet.
    fn read(
        &self,
        sources: &[Source],
        unfinished: &mut Unfinished,
        of: u64,
        progress: &mut dyn FnMut(ImportProgress),
        stop: &AtomicBool,
    ) -> Result<(), GamesError> {
        let threads = self.threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            NonZeroUsize::get,
        );
        let (first, from) = unfinished.go_on_at();
        let bytes = AtomicU64::new(passed(sources, first));
        let watch = Watch {
            bytes: &bytes,
            stop,
        };
        // A piece needs a turn to be on its way; whoever writes it gives the turn back.
        let (give_turn, turns) = channel();
        for _ in 0..threads * IN_FLIGHT {
            give_turn.send(()).expect("the other end is here");
        }
        let (send_piece, pieces) = channel();
        let pieces = Mutex::new(pieces);
        let (send_block, blocks) = channel();
        std::thread::scope(|scope| {
            let begin = (first, from);
            scope.spawn(move || cut(sources, begin, &watch, &turns, &send_piece));
            for _ in 0..threads {
                let (pieces, send_block) = (&pieces, send_block.clone());
                scope.spawn(move || work(pieces, &self.filter, &send_block));
            }
            drop(send_block);
            write(blocks, give_turn, unfinished, stop, &mut |games| {
                let bytes = bytes.load(Ordering::Relaxed).min(of);
                progress(ImportProgress { bytes, of, games });
            })
        })
    }
}

/// A piece on its way: its number, the number of its source, and itself.
type Numbered = (u64, u32, Piece);

/// Cuts all sources into pieces, from a byte of one of them on.
fn cut(
    sources: &[Source],
    (first, mut from): (usize, u64),
    watch: &Watch<'_>,
    turns: &Receiver<()>,
    out: &Sender<Numbered>,
) {
    let mut number = 0;
    let mut send = |source: usize, piece: Piece| {
        // Nobody gives turns any more when nobody writes any more.
        let sent = turns.recv().is_ok() && out.send((number, source as u32, piece)).is_ok();
        number += 1;
        sent
    };
    for (i, source) in sources.iter().enumerate().skip(first) {
        let mut going_on = true;
        let opened = source.read(from, watch, &mut |text| {
            let mut pieces = Pieces::new(text, from);
            while going_on && let Some(piece) = pieces.next() {
                going_on = send(i, piece);
            }
        });
        if let Err(error) = opened {
            going_on = send(i, Piece::unreadable(from, error.to_string()));
        }
        if !going_on {
            return;
        }
        from = 0;
    }
}

/// Makes blocks of pieces.
fn work(pieces: &Mutex<Receiver<Numbered>>, filter: &Filter, out: &Sender<(u64, Vec<u8>)>) {
    loop {
        let next = pieces
            .lock()
            .expect("no thread panics while it waits for a piece")
            .recv();
        let Ok((number, source, piece)) = next else {
            return;
        };
        // When nobody takes blocks any more, nobody cuts pieces any more either.
        let _ = out.send((number, reading::read(&piece, source, filter)));
    }
}

/// Writes blocks in their order.
fn write(
    blocks: Receiver<(u64, Vec<u8>)>,
    give_turn: Sender<()>,
    unfinished: &mut Unfinished,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64),
) -> Result<(), GamesError> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    loop {
        match blocks.recv_timeout(TELL_EVERY) {
            Ok((number, block)) => {
                waiting.insert(number, block);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        // Checked before writing: what was cut off by the stop must not get into the file.
        if stop.load(Ordering::Relaxed) {
            unfinished.sync()?;
            return Err(GamesError::Interrupted);
        }
        while let Some(block) = waiting.remove(&next) {
            unfinished.append(&block)?;
            next += 1;
            // The one who cuts may have come to the end.
            let _ = give_turn.send(());
        }
        progress(unfinished.games_read());
    }
    Ok(())
}

fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}

/// Bytes of the files before a source, as they lie on the disk.
fn passed(sources: &[Source], first: usize) -> u64 {
    sources[..first.min(sources.len())]
        .iter()
        .map(|source| source.bytes_read)
        .sum()
}
