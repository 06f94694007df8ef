//! All entries.

mod citation;
mod co_purchase;
mod heterophilous;
mod large;
mod long_range;
mod made;
mod molecules;
mod tu;
mod wikipedia;

use super::entry::Entry;

// What is read has files, and what is made has none: otherwise this does not compile.
const _: () = {
    let mut number = 0;
    while number < ENTRIES.len() {
        let entry = &ENTRIES[number];
        assert!(
            !entry.name.is_empty() && entry.is_made() == entry.files.is_empty(),
            "an entry without files or reader"
        );
        number += 1;
    }
};

/// All entries, families together.
pub const ENTRIES: &[Entry] = &[
    citation::CORA,
    citation::CITESEER,
    citation::PUBMED,
    co_purchase::PHOTO,
    co_purchase::COMPUTERS,
    co_purchase::CS,
    co_purchase::PHYSICS,
    wikipedia::CHAMELEON_FILTERED,
    wikipedia::CHAMELEON_FILTERED_DIRECTED,
    wikipedia::CHAMELEON,
    wikipedia::CHAMELEON_DIRECTED,
    wikipedia::SQUIRREL_FILTERED,
    wikipedia::SQUIRREL_FILTERED_DIRECTED,
    wikipedia::SQUIRREL,
    wikipedia::SQUIRREL_DIRECTED,
    heterophilous::ACTOR,
    heterophilous::TEXAS,
    heterophilous::CORNELL,
    heterophilous::WISCONSIN,
    heterophilous::ROMAN_EMPIRE,
    heterophilous::AMAZON_RATINGS,
    heterophilous::MINESWEEPER,
    heterophilous::TOLOKERS,
    heterophilous::QUESTIONS,
    large::WIKICS,
    large::OGBN_ARXIV,
    large::OGBN_PRODUCTS,
    long_range::PEPTIDES_FUNC,
    long_range::PEPTIDES_STRUCT,
    long_range::PASCALVOC_SP,
    long_range::COCO_SP,
    long_range::PCQM_CONTACT,
    long_range::PCQM_CONTACT_SAMPLE,
    molecules::ZINC,
    molecules::ZINC_STANDIN,
    molecules::ZINC_250K,
    molecules::ZINC_ACYCLIC,
    molecules::OGBG_MOLHIV,
    tu::MUTAG,
    tu::NCI1,
    tu::PROTEINS,
    tu::ENZYMES,
    made::HOP_MAJORITY,
    made::RING_TRANSFER,
    made::TREE_NEIGHBOURS,
];
