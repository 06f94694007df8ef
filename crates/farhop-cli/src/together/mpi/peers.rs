//! Who the other processes are for the system, so that one which has ended on this host is noticed at once: MPI does not tell.

use std::fs;

use farhop_data::hash::sha256_hex;

/// Letters of a host's name that are told.
const NAME: usize = 100;

/// What a process tells of itself: a name of its host and table of processes (8 bytes, 0: not known), its number there (4), the moment it was
/// started (8), and what the host is called. It is said before anything else, versions included: a farhop of another version has to understand it, so
/// its layout stays.
pub(super) type Card = [u8; 20 + NAME];

/// Processes of a run that can be looked after from here.
pub(super) struct Peers {
    host: String,
    here: Vec<Peer>,
}

struct Peer {
    rank: usize,
    number: u32,
    started: u64,
}

/// The card of this process.
pub(super) fn card() -> Card {
    let mut card = [0; 20 + NAME];
    let number = std::process::id();
    // The same boot and the same table of processes: then numbers mean the same.
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let table = fs::read_link("/proc/self/ns/pid").map(|link| link.display().to_string()).unwrap_or_default();
    if let (false, Some((_, started))) = (boot.is_empty() || table.is_empty(), state(number)) {
        let host = sha256_hex(format!("{boot}{table}").as_bytes());
        card[..8].copy_from_slice(&host.as_bytes()[..8]);
        card[8..12].copy_from_slice(&number.to_le_bytes());
        card[12..20].copy_from_slice(&started.to_le_bytes());
    }
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    let length = (0..=NAME.min(name.len())).rev().find(|&end| name.is_char_boundary(end)).unwrap_or(0);
    card[20..20 + length].copy_from_slice(&name.as_bytes()[..length]);
    card
}

impl Peers {
    /// Before anybody has told anything.
    pub(super) fn unknown() -> Self {
        Peers { host: String::new(), here: Vec::new() }
    }

    /// Those of `cards`, in the order of the ranks, that are on the host of `own`.
    pub(super) fn of(rank: usize, own: &Card, cards: &[Vec<u8>]) -> Self {
        let host = String::from_utf8_lossy(&own[20..]).trim_end_matches('\0').to_string();
        let known = own[..8] != [0; 8];
        let near = |(other, card): (usize, &Vec<u8>)| {
            let card =
                <&Card>::try_from(&card[..]).ok().filter(|card| known && other != rank && card[..8] == own[..8])?;
            let number = u32::from_le_bytes(*card[8..].first_chunk()?);
            let started = u64::from_le_bytes(*card[12..].first_chunk()?);
            Some(Peer { rank: other, number, started })
        };
        Peers { host, here: cards.iter().enumerate().filter_map(near).collect() }
    }

    /// Says which of them have ended; none if all are there.
    pub(super) fn lost(&self) -> Option<String> {
        let gone = |peer: &&Peer| !matches!(state(peer.number), Some((state, started)) if started == peer.started && !"ZX".contains(state));
        let lost: Vec<String> = self
            .here
            .iter()
            .filter(gone)
            .map(|peer| format!("process {} (number {})", peer.rank, peer.number))
            .collect();
        let verb = if lost.len() == 1 { "has" } else { "have" };
        (!lost.is_empty()).then(|| format!("{} on {} {verb} ended", lost.join(", "), self.host))
    }
}

/// State and moment of the start of a process of this host; none if there is none.
fn state(number: u32) -> Option<(char, u64)> {
    let text = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name of the program, in brackets, may hold anything.
    let mut words = text.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = words.next()?.chars().next()?;
    Some((state, words.nth(18)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_that_has_ended_is_named() {
        let own = card();
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let mut other = own;
        other[8..12].copy_from_slice(&child.id().to_le_bytes());
        other[12..20].copy_from_slice(&state(child.id()).unwrap().1.to_le_bytes());
        let mut elsewhere = other;
        elsewhere[..8].copy_from_slice(b"elsewhere"[..8].try_into().unwrap());
        let peers = Peers::of(0, &own, &[own.to_vec(), other.to_vec(), elsewhere.to_vec()]);
        assert_eq!(peers.lost(), None);
        child.kill().unwrap();
        // Dead, and nobody has asked how it ended yet.
        while state(child.id()).is_some_and(|(state, _)| state != 'Z') {
            std::thread::yield_now();
        }
        let told = peers.lost().unwrap();
        assert!(
            told.starts_with(&format!("process 1 (number {}) on ", child.id())) && told.ends_with(" has ended"),
            "{told}"
        );
        child.wait().unwrap();
        assert_eq!(peers.lost(), Some(told));
    }
}
