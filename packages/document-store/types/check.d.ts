/// <reference types="node" />
import { AbstractLevel } from 'abstract-level'

/**
 * Reads a whole database, of which nobody writes meanwhile, and says what in it does not agree:
 * documents with changes, leaves with bodies, references with counts, contents with digests,
 * totals with all of it. Each problem is a sentence; there is none where all is well. Remains of a crash, which
 * the next opening removes, are no problem: `onLeftover` is told of them. If something is damaged
 * it goes on with the rest, and does not compare counts.
 */
export function check (level: AbstractLevel<any, any, any>, options?: CheckOptions): AsyncIterable<string>

export interface CheckOptions {
  prefix?: string
  onLeftover? (sentence: string): void
  /** The findings of a scrub of the level: with them, what is damaged is told by its document, and the rest is read. */
  faults?: Fault[]
}

/** Something damaged: a page of keys from `key` on, a long key that begins so, or the value of `key`. */
export interface Fault {
  kind: 'page' | 'key' | 'value'
  key: Uint8Array
}

/** The same of a catalogue (`Databases`) and of every database in it, whose name is then in front. */
export function checkDatabases (level: AbstractLevel<any, any, any>, options?: CheckOptions): AsyncIterable<string>

/** The same while others write, create and drop databases: each database as it is at one moment. */
export function checkOnline (level: AbstractLevel<any, any, any>, options?: { prefix?: string, faults?: Fault[] }): AsyncIterable<string>

/** Something that mending could not bring back. Ids of local documents are without `_local/`. */
export interface Loss {
  /** `document`: at `lostRev`, and it is back at `rev` if an older or conflicting revision is whole. `revision`: its
   * body. `version`: an earlier one, of the change `seq`. `attachment`: the content of `name`. `content`: an attachment whose documents are lost. `value`: a setting.
   * `database`: its own record. `name`: the database's name. `entry`: one of the catalogue. `key`: a key that
   * belonged to nothing. `range`: entries of keys or ids from `from` up to `to`, or some of them; no `to`: to the end. */
  kind: 'document' | 'revision' | 'version' | 'attachment' | 'content' | 'local' | 'value' | 'purge' | 'database' | 'name' | 'entry' | 'key' | 'range'
  database?: string
  id?: string
  rev?: string
  seq?: number
  lostRev?: string
  name?: string
  digest?: string
  length?: number
  key?: string
  of?: string
  from?: string
  to?: string
}

/** A loss that a storage knows of: the value of the key `from`, an entry whose key begins so, or keys from `from` up to `to`. */
export interface Missing {
  kind: 'value' | 'key' | 'page'
  from: Buffer
  to?: Buffer
}

/**
 * Makes a damaged database sound, in place, and yields what is lost of it. It must not be open elsewhere. Whole
 * parts stay as they are: a document whose latest revision is lost goes back to the last one that is whole, an attachment
 * that is lost is taken out of its documents, and sequences, totals and references are worked out again. Rows
 * of indexes are removed, and are made again when they are needed. The database gets a new instance id where
 * anything was changed, or with `renew`. Stopped anywhere, it can be done again.
 */
export function mend (level: AbstractLevel<any, any, any>, options?: { prefix?: string, renew?: boolean }): AsyncIterable<Loss>

/** The same of a catalogue (`Databases`) and of every database in it. A database whose name is lost is called `salvaged-<number>`. */
export function mendDatabases (level: AbstractLevel<any, any, any>, options?: { prefix?: string, renew?: boolean, missing?: Missing[] }): AsyncIterable<Loss>

/** A loss as a sentence, without its full stop. */
export function lossInWords (loss: Loss): string

/**
 * The databases of a catalogue (`Databases`) that opening brings to `LAYOUT_VERSION`, with the version that they have. The code
 * that wrote them does not open them afterwards. Changes nothing.
 */
export function formerLayouts (level: AbstractLevel<any, any, any>, options?: { prefix?: string }): Promise<Array<{ name: string, version: number }>>

/** The version of the layout of keys and records that this code writes. It brings older ones up to date. */
export const LAYOUT_VERSION: number
