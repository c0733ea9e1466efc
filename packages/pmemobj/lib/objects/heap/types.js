'use strict'

/** @typedef {import('../nodes/node').Node} Node */
/** @typedef {import('./heap').Heap} Heap */

/**
 * Something that a slot holds in the place of a primitive: an object of the pool, its name in a record, or a long string.
 *
 * @typedef {Node | import('./reference').Reference | import('./text').Text} Held
 */

/**
 * The content of a slot; a symbol is one of `Symbol.for()`, or `HOLE`, of `record/values.js`.
 *
 * @typedef {undefined | null | boolean | number | bigint | string | symbol | Held} Slot
 */

/** @typedef {(slot: Slot) => void} Visit */

/**
 * Makes a slot of a plain value that has a name where it was found.
 *
 * @typedef {(value: any, name: string | symbol) => Slot} Keep
 */

/**
 * Names and plain values by turns: all that was given to `Keep` when a node was filled.
 *
 * @typedef {unknown[]} Content
 */

/**
 * Makes a plain value of a slot.
 *
 * @typedef {(slot: Slot) => any} CopyOut
 */

/**
 * A class of nodes, see `nodes/node.js`.
 *
 * @typedef {object} Kind
 * @property {number[]} kinds
 * @property {(value: object, heap: Heap) => boolean} match whether it keeps that plain value
 * @property {(value: any, heap: Heap) => Node} copy makes a node for a value that matches: an array, a Date, a Map
 */

/** @typedef {Kind & (new (heap: Heap, id: number) => Node)} NodeClass */

/**
 * A part of a transaction, which takes its changes back: `former` is as it was given to `remember()`.
 *
 * @typedef {{ undo: (what: any, former: any) => void }} Participant
 */

/**
 * A part of a transaction that writes in the same commit.
 *
 * @typedef {{ map: number, name: string, write: (writer: import('../record/writer').Writer) => void, committed: () => void }} Writing a change of a map that has that number and name
 */

module.exports = {}
