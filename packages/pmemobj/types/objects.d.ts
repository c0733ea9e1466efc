import { Snapshot } from './map'
import { Pool } from './pool'

export interface RegisterOptions {
  /** By which pools know the class. Default: the name that it has in the code. */
  name?: string
}

export interface TransactionOptions {
  /**
   * The function only reads, in whatever thread: it sees one state, the latest, and writes throw `PMEMOBJ_READ_ONLY`.
   * Default false.
   */
  readOnly?: boolean
  /**
   * `'auto'` keeps the bytes of each ArrayBuffer that the program has, or gets in the transaction, as `snapshot()` does:
   * so all that is written to views is part of it. It costs the pages that were written of a buffer of 256 KiB and more, and all bytes of others.
   */
  snapshot?: 'auto'
}

export interface WatchOptions {
  /** Also of all that the object leads to. Default false. */
  deep?: boolean
  /** Ends the watch. An iteration throws its reason then. */
  signal?: AbortSignal
}

export interface ChangeNotice {
  /** Number of the commit: later ones have higher numbers. */
  commit: number
  /** The objects that it has changed, and the keys that were written: names of properties; indices of elements, and `'length'`; keys of a Map, elements of a Set. */
  changes: { object: any, keys: any[] }[]
}

export interface ObjectWatch extends AsyncIterableIterator<ChangeNotice> {
  /** Ends it. */
  close (): void
}

/** A state of a pool that is kept: see `pool.keep`. */
export interface KeptState<Root = any> {
  readonly name: string | undefined
  /** Number of the latest commit that it has. */
  readonly commit: number
  /** When it was taken. */
  readonly time: Date
  /** The root of the objects as they were, which are read only. */
  readonly root: Root
  /** For what reads maps. */
  readonly snapshot: Snapshot
  readonly closed: boolean
  close (): void
}

export interface CollectSummary {
  /** How many objects were freed. */
  objects: number
  /** How many stay. */
  kept: number
}

/**
 * An ArrayBuffer whose bytes are the pool's own memory: what typed arrays, Buffers and DataViews write there is in
 * the pool. An ArrayBuffer or view that is assigned to a property is copied into one.
 */
export class PersistentArrayBuffer extends ArrayBuffer {
  /** `byteLength` zeros in the pool. They survive if the root reaches the buffer before the pool is closed. */
  constructor (pool: Pool, byteLength: number)
  /**
   * Makes durable what was written there outside of transactions. Without it, that is whenever the
   * operating system gets to it, in any order.
   *
   * @param offset default 0
   * @param length in bytes; default: to the end
   */
  flush (offset?: number, length?: number): void
  /**
   * In a transaction, before bytes there are written: keeps what they are, so that they are undone, or become
   * durable, with all else in it.
   *
   * @param offset default 0
   * @param length in bytes; default: to the end
   */
  snapshot (offset?: number, length?: number): void
}
