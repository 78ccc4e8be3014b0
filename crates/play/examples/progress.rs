#![allow(missing_docs, clippy::unwrap_used)]
use rules::{attacks, Bitboard, Square, Board, Symmetry, Role};
use std::time::Instant;
const NF: usize = 18;
const ILL: i32 = i32::MIN;
const DRAW: i32 = -1_000_000_000;
const MATE: i32 = 1_000_000_000;
fn cheb(a: usize, b: usize) -> i32 { ((a & 7) as i32 - (b & 7) as i32).abs().max(((a >> 3) as i32 - (b >> 3) as i32).abs()) }
fn manh(a: usize, b: usize) -> i32 { ((a & 7) as i32 - (b & 7) as i32).abs() + ((a >> 3) as i32 - (b >> 3) as i32).abs() }
fn att(r: Role, s: usize, occ: u64) -> u64 {
    let sq = Square::new(s as u32); let o = Bitboard(occ);
    match r { Role::Queen => attacks::queen_attacks(sq, o).0, Role::Rook => attacks::rook_attacks(sq, o).0,
        Role::Bishop => attacks::bishop_attacks(sq, o).0, Role::Knight => attacks::knight_attacks(sq).0, _ => attacks::king_attacks(sq).0 }
}
fn grow(b: u64) -> u64 { let h = b | ((b << 1) & 0xfefefefefefefefe) | ((b >> 1) & 0x7f7f7f7f7f7f7f7f); h | h << 8 | h >> 8 }
struct Space { roles: Vec<Role>, tri: Vec<usize>, inv: [usize; 64], to_tri: [usize; 64], sym: [[u8; 64]; 8] , n: usize}
impl Space {
    fn new(roles: Vec<Role>) -> Space {
        let mut sym = [[0u8; 64]; 8];
        for (i, s) in Symmetry::ALL.iter().enumerate() { for q in 0..64 { sym[i][q] = u32::from(s.square(Board::STANDARD, Square::new(q as u32))) as u8; } }
        let mut tri = vec![]; let mut inv = [99; 64];
        for q in 0..64 { let (f, r) = (q & 7, q >> 3); if f <= 3 && r <= f { inv[q] = tri.len(); tri.push(q); } }
        let mut to_tri = [0; 64];
        for q in 0..64 { to_tri[q] = (0..8).find(|&i| inv[sym[i][q] as usize] != 99).unwrap(); }
        let n = 10 * 64usize.pow(1 + roles.len() as u32);
        Space { roles, tri, inv, to_tri, sym, n }
    }
    fn index(&self, bk: usize, wk: usize, p: &[usize]) -> usize {
        let t = &self.sym[self.to_tri[bk]];
        let mut i = self.inv[t[bk] as usize] * 64 + t[wk] as usize;
        for &s in p { i = i * 64 + t[s] as usize; } i
    }
    fn decode(&self, mut i: usize) -> (usize, usize, Vec<usize>) {
        let mut p = vec![0; self.roles.len()];
        for k in (0..p.len()).rev() { p[k] = i & 63; i >>= 6; }
        (self.tri[i >> 6], i & 63, p)
    }
    fn wattacks(&self, bk: usize, wk: usize, p: &[usize], skip: Option<usize>) -> u64 {
        let _ = bk;
        let mut occ = 1u64 << wk; for (k, &s) in p.iter().enumerate() { if Some(k) != skip { occ |= 1 << s; } }
        let mut a = att(Role::King, wk, 0);
        for (k, &s) in p.iter().enumerate() { if Some(k) != skip { a |= att(self.roles[k], s, occ); } } a
    }
}
fn features(sp: &Space, bk: usize, wk: usize, p: &[usize]) -> [i8; NF] {
    let mut f = [0i8; NF];
    let a = sp.wattacks(bk, wk, p, None);
    let free = !a & !(1u64 << wk);
    let mut r = 1u64 << bk; loop { let g = grow(r) & (free | 1 << bk); if g == r { break } r = g; }
    f[0] = r.count_ones() as i8;
    f[1] = cheb(wk, bk) as i8; f[2] = manh(wk, bk) as i8;
    let (x, y) = ((bk & 7) as i32, (bk >> 3) as i32); let (ex, ey) = (x.min(7 - x), y.min(7 - y));
    f[3] = ex.min(ey) as i8; f[4] = (ex + ey) as i8;
    f[6] = (att(Role::King, bk, 0) & free).count_ones() as i8;
    for (k, &s) in p.iter().enumerate() { match sp.roles[k] {
        Role::Knight => { f[7] = cheb(s, bk) as i8; f[13] = cheb(s, wk) as i8; f[15]=manh(s,bk) as i8;}
        Role::Bishop => { f[8] += cheb(s, bk) as i8;
            let dark = ((s & 7) + (s >> 3)) & 1 == 0;
            let c = if dark { manh(bk, 0).min(manh(bk, 63)) } else { manh(bk, 7).min(manh(bk, 56)) };
            f[5] = c as i8; }
        Role::Rook => { f[9] = cheb(s, bk) as i8; }
        _ => { f[9] = cheb(s, bk) as i8; }
    } 
        if a >> s & 1 == 0 && cheb(s, bk) == 1 { f[10] += 1; }
        if a >> s & 1 == 0 && cheb(s, bk) == 2 { f[12] += 1; }
    }
    let (x, y) = ((wk & 7) as i32, (wk >> 3) as i32); let (ex, ey) = (x.min(7 - x), y.min(7 - y));
    f[11] = (ex.min(ey)) as i8;
    f[16] = (f[6] == 0) as i8; f[17] = (f[6] == 1) as i8;
    if p.len() == 2 { f[14] = cheb(p[0], p[1]) as i8; }
    f
}
struct Graph { feats: Vec<[i8; NF]>, wlegal: Vec<bool>, woff: Vec<u32>, wsucc: Vec<u32>, boff: Vec<u32>, bsucc: Vec<u32>, bkind: Vec<u8>, won: Vec<u8> }
const CAP: u32 = u32::MAX;
fn build(sp: &Space) -> Graph {
    let n = sp.n;
    let (mut wlegal, mut woff, mut wsucc, mut boff, mut bsucc, mut bkind) = (vec![false; n], vec![0u32; n + 1], vec![], vec![0u32; n + 1], vec![], vec![0u8; n]);
    let mut feats = vec![[0i8; NF]; n];
    for i in 0..n {
        let (bk, wk, p) = sp.decode(i);
        let distinct = wk != bk && p.iter().all(|&s| s != wk && s != bk) && (p.len() < 2 || p[0] != p[1]);
        let mut ok = distinct && cheb(wk, bk) > 1;
        if ok && p.len()==2 && sp.roles[0]==Role::Bishop && sp.roles[1]==Role::Bishop {
            let c=|s:usize| ((s&7)+(s>>3))&1; if c(p[0])==c(p[1]) || p[0]>p[1] && false {ok=false}
        }
        if ok {
            let a = sp.wattacks(bk, wk, &p, None);
            let mut occ = 1u64 << wk | 1 << bk; for &s in &p { occ |= 1 << s; }
            let check = { let mut c = false; for (k, &s) in p.iter().enumerate() { if att(sp.roles[k], s, occ) >> bk & 1 == 1 { c = true } } c };
            if !check {
                wlegal[i] = true; feats[i] = features(sp, bk, wk, &p);
                let own = occ & !(1u64 << bk);
                let mut m = att(Role::King, wk, 0) & !own & !att(Role::King, bk, 0) & !(1u64<<bk);
                while m != 0 { let t = m.trailing_zeros() as usize; m &= m - 1; wsucc.push(sp.index(bk, t, &p) as u32); }
                for k in 0..p.len() {
                    let mut m = att(sp.roles[k], p[k], occ) & !occ;
                    while m != 0 { let t = m.trailing_zeros() as usize; m &= m - 1; let mut q = p.clone(); q[k] = t; wsucc.push(sp.index(bk, wk, &q) as u32); }
                }
            }
            // black to move
            bkind[i] = 1;
            let mut m = att(Role::King, bk, 0) & !(1u64 << wk);
            let mut any = false;
            while m != 0 { let t = m.trailing_zeros() as usize; m &= m - 1;
                if let Some(k) = p.iter().position(|&s| s == t) {
                    if sp.wattacks(bk, wk, &p, Some(k)) >> t & 1 == 0 { any = true; bsucc.push(CAP); }
                } else if a >> t & 1 == 0 { any = true; bsucc.push(sp.index(t, wk, &p) as u32); }
            }
            if !any { bkind[i] = if check { 2 } else { 3 }; }
        }
        woff[i + 1] = wsucc.len() as u32; boff[i + 1] = bsucc.len() as u32;
    }
    let mut g = Graph { feats, wlegal, woff, wsucc, boff, bsucc, bkind, won: vec![] };
    // exact solve
    let mut w = vec![0u8; n]; let mut b = vec![0u8; n]; // 0 unknown, else dtm+1 (b) / dtm (w)
    for i in 0..n { if g.bkind[i] == 2 { b[i] = 1; } }
    for it in 1u8..60 {
        let mut ch = false;
        for i in 0..n { if g.wlegal[i] && w[i] == 0 && g.wsucc[g.woff[i] as usize..g.woff[i+1] as usize].iter().any(|&s| b[s as usize] != 0) { w[i] = it; ch = true; } }
        for i in 0..n { if g.bkind[i] == 1 && b[i] == 0 && g.bsucc[g.boff[i] as usize..g.boff[i+1] as usize].iter().all(|&s| s != CAP && w[s as usize] != 0) { b[i] = it + 1; } }
        if !ch { println!("longest {}", it - 1); break; }
    }
    println!("won {} of {}", w.iter().filter(|&&x| x > 0).count(), g.wlegal.iter().filter(|&&x| x).count());
    g.won = w; g
}
struct Result { stuck: Vec<usize>, won: usize, certified: usize, longest: usize, examples: Vec<usize> }
fn assess(g: &Graph, v: &[i32], depth: usize, certify: bool) -> Result {
    let n = v.len();
    let stand = |i: usize| v[i] * 16 + 15;
    let mut w: Vec<i32> = (0..n).map(|i| if g.wlegal[i] { stand(i) } else { ILL }).collect();
    let mut b = vec![ILL; n];
    let mut stuck = vec![]; let mut examples = vec![];
    for d in 1..=depth {
        for i in 0..n { match g.bkind[i] { 0 => {}, 2 => b[i] = MATE, 3 => b[i] = DRAW, _ => {
            let mut m = i32::MAX;
            for &s in &g.bsucc[g.boff[i] as usize..g.boff[i + 1] as usize] { let x = if s == CAP { DRAW } else { w[s as usize] }; if x < m { m = x } }
            b[i] = if m == DRAW { DRAW } else { m - 1 };
        } } }
        let mut st = 0; 
        for i in 0..n { if g.wlegal[i] {
            let mut m = ILL;
            for &s in &g.wsucc[g.woff[i] as usize..g.woff[i + 1] as usize] { m = m.max(b[s as usize]); }
            if g.won[i] > 0 && m < stand(i) { st += 1; if d == depth && (st % 997 == 1) && examples.len() < 12 { examples.push(i); } }
            w[i] = m.max(stand(i));
            if m <= DRAW { w[i] = DRAW; }
        } }
        stuck.push(st);
    }
    let won = g.won.iter().filter(|&&x| x > 0).count();
    let (mut certified, mut longest) = (0, 0);
    if certify {
        let mut pol = vec![0u32; n];
        for i in 0..n { if g.won[i] > 0 { let mut m = ILL; for &s in &g.wsucc[g.woff[i] as usize..g.woff[i + 1] as usize] { if b[s as usize] > m { m = b[s as usize]; pol[i] = s; } } } }
        let mut wd = vec![0u8; n]; let mut bd = vec![0u8; n];
        for i in 0..n { if g.bkind[i] == 2 { bd[i] = 1; } }
        for it in 1u8..250 { let mut ch = false;
            for i in 0..n { if g.won[i] > 0 && wd[i] == 0 && bd[pol[i] as usize] != 0 { wd[i] = it; ch = true; certified += 1; } }
            if !ch { break } longest = it as usize;
            for i in 0..n { if bd[i] == 0 && g.bkind[i] == 1 && g.bsucc[g.boff[i] as usize..g.boff[i + 1] as usize].iter().all(|&s| s != CAP && wd[s as usize] != 0) { bd[i] = it + 1; } }
        }
    }
    Result { stuck, won, certified, longest, examples }
}
fn fen(sp: &Space, i: usize) -> String {
    let (bk, wk, p) = sp.decode(i); let mut b = [b'.'; 64]; b[bk] = b'k'; b[wk] = b'K';
    for (k, &s) in p.iter().enumerate() { b[s] = match sp.roles[k] { Role::Queen => b'Q', Role::Rook => b'R', Role::Bishop => b'B', _ => b'N' }; }
    let mut t = String::new();
    for r in (0..8).rev() { let mut e = 0; for f in 0..8 { let c = b[r * 8 + f]; if c == b'.' { e += 1 } else { if e > 0 { t += &e.to_string(); e = 0 } t.push(c as char); } } if e > 0 { t += &e.to_string(); } if r > 0 { t.push('/') } }
    t + " w"
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let roles = args[1].chars().map(|c| Role::from_char(c).unwrap()).collect();
    let depth: usize = args[2].parse().unwrap();
    let mut w: Vec<i32> = args[3].split(',').map(|x| x.parse().unwrap()).collect(); w.resize(NF, 0);
    let iters: usize = args.get(4).map_or(0, |x| x.parse().unwrap());
    let t = Instant::now();
    let sp = Space::new(roles); let g = build(&sp);
    println!("built {:?}", t.elapsed());
    let value = |w: &[i32]| -> Vec<i32> { g.feats.iter().map(|f| f.iter().zip(w).map(|(&a, &b)| a as i32 * b).sum()).collect() };
    let t = Instant::now();
    let r = assess(&g, &value(&w), depth, true);
    println!("{w:?} stuck {:?} certified {}/{} longest {} {:?}", r.stuck, r.certified, r.won, r.longest, t.elapsed());
    for &i in &r.examples { println!("  {}", fen(&sp, i)); }
    let mask: Vec<usize> = (0..NF).filter(|&k| { let c = g.feats.iter().zip(&g.wlegal).filter(|x| *x.1).map(|x| x.0[k]); c.clone().min() != c.max() }).collect();
    let mut best = r; let mut seed = args.get(5).map_or(1u64, |x| x.parse().unwrap());
    let mut rnd = move || { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; seed };
    let score = |r: &Result| *r.stuck.last().unwrap() * 4 + if r.stuck.len() > 1 { r.stuck[r.stuck.len() - 2] / 16 } else { 0 };
    for _ in 0..iters {
        let mut c = w.clone();
        for _ in 0..=(rnd() % 3) { let k = mask[(rnd() % mask.len() as u64) as usize]; let s = (c[k].abs() / 3 + 2) as i64; c[k] += ((rnd() % (2 * s as u64 + 1)) as i64 - s) as i32; }
        if c == w { continue }
        let r = assess(&g, &value(&c), depth, false);
        if score(&r) <= score(&best) { if score(&r) < score(&best) { println!("{c:?} stuck {:?}", r.stuck); } w = c; best = r; }
    }
    if iters > 0 { let r = assess(&g, &value(&w), depth, true);
        println!("{} stuck {:?} certified {}/{} longest {}", w.iter().map(|x| x.to_string()).collect::<Vec<_>>().join(","), r.stuck, r.certified, r.won, r.longest);
        for &i in &r.examples { println!("  {}", fen(&sp, i)); } }
}
