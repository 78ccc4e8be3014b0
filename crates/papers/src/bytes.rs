//! How many bytes an endgame takes: a table of our own.

use crate::{Chart, Column, Experiment, NetworkSize, Row, Training};

/// A small network with so many neurons, four bits to a weight.
macro_rules! small {
    ($material:literal, "1") => {
        small!($material, "1", " neuron")
    };
    ($material:literal, $neurons:literal) => {
        small!($material, $neurons, " neurons")
    };
    ($material:literal, $neurons:literal, $what:literal) => {
        Row {
            name: concat!($material, ", ", $neurons, $what),
            paper: &[],
            ours: &[&NetworkSize {
                training: Training::new("tiny-net", $material, 20_000)
                    .with(&[("hidden", $neurons)])
                    .quick(4_000)
                    .for_engines()
                    .smoke_material("KQK")
                    .in_smoke(&[("hidden", $neurons), ("batch", "64")]),
            }],
            best: &[],
        }
    };
}

/// A network of distances.
macro_rules! distances {
    ($material:literal, $width:literal, $batches:literal, $changes:expr) => {
        Row {
            name: concat!($material, ", width ", $width),
            paper: &[],
            ours: &[&NetworkSize {
                training: Training::new("distance-net", $material, $batches)
                    .with($changes)
                    .quick(2_000)
                    .smoke_material("KQK")
                    .in_smoke(&[("width", "8"), ("batch", "64"), ("device", "cpu")]),
            }],
            best: &[],
        }
    };
}

/// One that a processor trains in minutes.
macro_rules! wide {
    ($material:literal, $longest:literal, $width:literal) => {
        distances!(
            $material,
            $width,
            30_000,
            &[
                ("width", $width),
                ("layers", "2"),
                ("longest", $longest),
                ("device", "cpu")
            ]
        )
    };
}

/// One that wants a GPU, and gets it where the program was built for one.
macro_rules! widest {
    ($material:literal, $longest:literal, $width:literal, $bits:literal, $batches:literal) => {
        distances!(
            $material,
            $width,
            $batches,
            &[
                ("width", $width),
                ("bits", $bits),
                ("longest", $longest),
                ("batch", "8192")
            ]
        )
    };
}

pub static BYTES: Experiment = Experiment {
    id: "bytes",
    cite: "Lucena, a table of our own",
    title: "How many bytes an endgame takes",
    setting: "Networks taught the distance to mate by exact tables, from fifty bytes to a megabyte: \
              small ones with one hidden layer that choose two plies ahead (tiny-net), and networks of \
              distances that choose one ply ahead (distance-net, without errata). Certified is the share \
              of all won positions from which they mate within fifty moves against every defence. For \
              comparison, Syzygy's files (WDL and DTZ) take 5.7 kB for KQK, 7.8 kB for KRK, 194 kB for \
              KBBK and 469 kB for KBNK.",
    rows_are: "endgame, network",
    columns: &[
        Column::bytes("bytes of weights"),
        Column::percent("certified"),
        Column::moves("excess"),
        Column::percent("certified, two plies deeper"),
        Column::moves("excess, two plies deeper"),
    ],
    rows: &[
        small!("KQK", "1"),
        small!("KQK", "2"),
        small!("KQK", "6"),
        small!("KQK", "20"),
        small!("KQK", "64"),
        wide!("KQK", "10", "4"),
        wide!("KQK", "10", "8"),
        wide!("KQK", "10", "16"),
        wide!("KQK", "10", "32"),
        wide!("KQK", "10", "64"),
        small!("KRK", "1"),
        small!("KRK", "2"),
        small!("KRK", "6"),
        small!("KRK", "20"),
        small!("KRK", "64"),
        wide!("KRK", "16", "4"),
        wide!("KRK", "16", "8"),
        wide!("KRK", "16", "16"),
        wide!("KRK", "16", "32"),
        wide!("KRK", "16", "64"),
        small!("KBBK", "1"),
        small!("KBBK", "2"),
        small!("KBBK", "6"),
        small!("KBBK", "20"),
        small!("KBBK", "64"),
        wide!("KBBK", "19", "8"),
        wide!("KBBK", "19", "16"),
        wide!("KBBK", "19", "32"),
        wide!("KBBK", "19", "64"),
        wide!("KBBK", "19", "128"),
        widest!("KBBK", "19", "256", "4", 24_000),
        small!("KBNK", "1"),
        small!("KBNK", "2"),
        small!("KBNK", "6"),
        small!("KBNK", "20"),
        small!("KBNK", "64"),
        wide!("KBNK", "33", "8"),
        wide!("KBNK", "33", "16"),
        wide!("KBNK", "33", "32"),
        wide!("KBNK", "33", "64"),
        widest!("KBNK", "33", "128", "4", 16_000),
        widest!("KBNK", "33", "256", "6", 24_000),
        widest!("KBNK", "33", "384", "8", 30_000),
    ],
    paper_count: None,
    deviations: &[
        "One training each: another seed gives another network, and what is certified can differ by \
         much, because one circle that black can force spoils every position that leads to it.",
        "Excess is over the positions from which the network mates at all; networks that mate from few \
         positions mate from near ones.",
        "The widest networks of KBBK and KBNK want a GPU (build with --features libtorch): on two cores they \
         take days.",
    ],
    findings: &[
        "Queen and king are mated with 42 bytes of weights and four plies of search, from \
         everywhere. A network of distances needs about as many bytes as a compressed tablebase \
         before its circles vanish, and then they vanish at once: KQK between 5 and 11 kB (Syzygy \
         5.7), KRK between 11 and 23 kB (7.8), KBBK between 62 and 191 kB (194), KBNK between 387 \
         and 921 kB (469); two plies of search move that point down to 11 kB for KRK and 387 kB \
         for KBNK. Certificates know no history: in games, where a small network avoids positions \
         that have been on the board, it wins far more often.",
        "In the drawing the left points of an endgame, up to two thousand bytes, are `tiny-net`, \
         the right ones `distance-net`; an excess of nothing is drawn at the bottom. Where a row \
         was measured on two machines, the figures were the same to the last digit.",
    ],
    charts: &[
        Chart::Curve {
            x: 0,
            y: 1,
            log: false,
        },
        Chart::Curve {
            x: 0,
            y: 3,
            log: false,
        },
        Chart::Curve {
            x: 0,
            y: 2,
            log: true,
        },
        Chart::Curve {
            x: 0,
            y: 4,
            log: true,
        },
    ],
};
