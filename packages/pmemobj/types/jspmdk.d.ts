// The names of JSPMDK: see docs/objects.md.
import { PersistentArrayBuffer } from './objects'

export const constants: {
  readonly MIN_POOL_SIZE: number
  readonly TX_STAGE_NONE: 0
  readonly TX_STAGE_WORK: 1
  readonly TX_STAGE_ONCOMMIT: 2
  readonly TX_STAGE_ONABORT: 3
  readonly TX_STAGE_FINALLY: 4
}

/** A pool without a file: `create()` or `open()` comes next. Sizes in bytes. */
export function new_pool (path: string, size?: number, mode?: number): PersistentObjectPool

/** An object of a pool with the methods of a class. */
export function bind<T> (object: object, constructor: new (...args: any[]) => T): T

export class PersistentObject {
  is_array (): boolean
  [name: string]: any
}

export class PersistentArray extends PersistentObject {}

export { PersistentArrayBuffer }

export class PersistentObjectPool {
  private constructor ()
  /** 1: there is a pool; 0: there is something else; -1: there is nothing. */
  check (): -1 | 0 | 1
  create (): void
  open (): void
  root: any
  create_object (value: object): any
  create_arraybuffer (buffer: ArrayBuffer): PersistentArrayBuffer
  transaction (work: () => unknown): void
  tx_begin (): void
  tx_commit (): void
  tx_abort (): void
  tx_end (): void
  /** To be called, or compared by `==`. */
  readonly tx_stage: () => number
  gc (): void
  close (): void
}
