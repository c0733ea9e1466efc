/// <reference types="node" />
import { CreateOptions, Key } from './pool'

/** A fault, and its place. */
export interface CheckProblem {
  /**
   * `file`, `heap` (libpmemobj's own structures), `superblock`, `root`, `extent`, `page`, `order`
   * (of keys), `reference` (to a place that is none, or used twice), `value`, `log`, `undo` (of buffers).
   */
  kind: string
  /** In the pool: parts one after the other. */
  offset: number
  message: string
}

/**
 * The content of a map, as far as it can be read: at the last checkpoint, which is the latest commit
 * unless a crash left records in the log.
 */
export interface CheckMap {
  name: string
  entries: number
  keyBytes: number
  valueBytes: number
  pages: number
  /** Levels of pages; 0 of an empty map. */
  depth: number
  /** Values, and long keys, that lie outside of the pages; and their bytes. */
  blobs: number
  blobBytes: number
  /** Values that are buffers, which have no checksum: the bytes of ArrayBuffers. */
  buffers: number
}

export interface CheckReport {
  /** Whether there is no problem. */
  sound: boolean
  /** Bytes of the pool, and those that it may grow to. */
  size: number
  maxSize: number
  layoutVersion: number
  /** Counts commits. */
  epoch: number
  /** Pages of all maps, and of the directory of maps. */
  pages: number
  blobs: number
  /** Records that a crash has left in the log; the next open brings them into the maps. */
  logRecords: number
  logOperations: number
  logBytes: number
  /** Ranges of buffers that a transaction has changed before a crash cut it off; the next open brings them back. */
  undoRanges: number
  undoBytes: number
  /** Bytes that the maps need. */
  used: number
  /** Bytes that hold nothing. */
  free: number
  /** Bytes of objects that nothing refers to. A crash may leave some; the next open frees them. */
  leaked: number
  /** Sorted by name. */
  maps: CheckMap[]
  /** At most 1000. */
  problems: CheckProblem[]
  /** All. */
  problemCount: number
  /** Leftovers of a power cut, which opening the pool or writing to it clears away: no problems. */
  notes: CheckProblem[]
}

/**
 * Reads all of a pool and says what it holds and every problem that it has, without changing a file.
 * Another process may have the pool open: its state of one moment is checked, and `free` and `leaked`
 * are 0, for only its writer knows them. Works on a thread of its own. Rejects where the pool cannot
 * be checked, because there is none, say.
 */
export function check (path: string, options?: { key?: Key }): Promise<CheckReport>

/** Something that a scrub found damaged: a page, whose keys begin at `key`, a long key that begins so, or the value of `key`. */
export interface ScrubFault {
  kind: 'page' | 'key' | 'value'
  /** In the pool. */
  offset: number
  /** Empty: the directory of maps. */
  map: Buffer
  key: Buffer
}

export interface ScrubStep {
  /** The place where the next step begins. */
  map: Buffer
  key: Buffer
  /** Whether the pass has come to its end. */
  done: boolean
  bytes: number
  pages: number
  values: number
  faults: ScrubFault[]
}

/** Something that salvage could not bring. */
export interface SalvageLoss {
  /**
   * `page`: entries of the keys from `from` up to `to`, some of which pages that nothing leads to may have
   * brought back. `value`: the value of the key `from`. `key`: an entry whose long key is damaged, and begins
   * with `from`.
   */
  kind: 'page' | 'value' | 'key'
  /** In the pool. */
  offset: number
  from: Buffer
  /** Left out: up to the end of the map. */
  to?: Buffer
}

export interface SalvageMap {
  /** `lost-1` and so on where it is not known. */
  name: string
  /** From its pages, before what the log says. */
  entries: number
  /** Bytes of their keys and values. */
  bytes: number
  /** Entries among them from pages that nothing leads to: they may be old, or have been deleted since. */
  doubtful: number
  /** At most 1000. */
  losses: SalvageLoss[]
  /** All. */
  lossCount: number
}

export interface SalvageReport {
  /** Whether anything at all is lost, or may be. */
  lost: boolean
  /** The epoch of the latest commit that was found; 0: it is not known. */
  epoch: number
  /** Records of the log since the last checkpoint. */
  logRecords: number
  logOperations: number
  /** Losses that are no map's, in words. */
  notes: string[]
  maps: SalvageMap[]
}

/**
 * Brings what is whole out of a pool that nobody has open, damaged or not, into a new one at `to`, and says
 * what is lost. Nothing is written to the old one. Works on a thread of its own. The new pool is at `to` when
 * all is in it; a failure leaves nothing. A key is that of both pools.
 */
export function salvage (path: string, to: string, options?: CreateOptions): Promise<SalvageReport>
