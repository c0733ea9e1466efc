import { Pool } from './pool'

export interface RegisterOptions {
  /** By which pools know the class. Default: the name that it has in the code. */
  name?: string
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
