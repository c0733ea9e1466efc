/** How keys or values cross: `utf8` as strings, `buffer` as Buffers, `view` as Uint8Arrays. */
export type Encoding = 'utf8' | 'buffer' | 'view'

export type Bytes = string | Uint8Array

/** Largest key and value, in bytes: 32 KiB and 1 GiB. */
export const maxKeySize: number

export const maxValueSize: number

/**
 * The result of a write that does not make its thread wait: undefined if all is done when it returns
 * (errors are thrown then), else a promise that resolves when the write is durable. Writes of one
 * thread keep their order, whichever way they are called.
 */
export type Written = Promise<void> | undefined

export interface ReadOptions {
  /** How the value is given. Default `utf8`. */
  encoding?: Encoding
  /** Read from it, not from the latest commit. */
  snapshot?: Snapshot
}

/** If both are given, `gte` wins over `gt`, and `lte` over `lt`. */
export interface Range { gt?: Bytes, gte?: Bytes, lt?: Bytes, lte?: Bytes }

export interface ClearOptions extends Range {
  /** With a limit: deletes from the end of the range. */
  reverse?: boolean
  /** Entries to delete, at most. Default, and -1: no limit. */
  limit?: number
  /** Deletes what was in the range then, and not what came since. */
  snapshot?: Snapshot
}

export interface IteratorOptions extends Range {
  reverse?: boolean
  /** Default, and -1: no limit. */
  limit?: number
  /** Default true. */
  keys?: boolean
  /** Default true. */
  values?: boolean
  /** Default `utf8`. */
  keyEncoding?: Encoding
  /** Default `utf8`. */
  valueEncoding?: Encoding
  snapshot?: Snapshot
}

/** A batch that is put together bit by bit: see `map.gather()`. */
export interface GatheredBatch {
  put (key: Bytes, value: Bytes): void
  del (key: Bytes): void
  clear (): void
  /** Writes all in one commit, as `batchAsync` does. */
  writeAsync (options?: BatchOptions): Written
}

export interface BatchOptions {
  /**
   * A full pool keeps some room, 1/64 of it (128 KiB to 16 MiB), for deleting. A batch whose puts lead to
   * more room, as marks of what is deleted do, may take half of that, or all.
   */
  kept?: 'half' | 'all'
}

/** A durable map ordered by the bytes of its keys (strings count as their UTF-8). */
export class OrderedMap {
  private constructor ()
  readonly name: string
  get (key: Bytes, options?: ReadOptions): Bytes | undefined
  getMany (keys: Bytes[], options?: ReadOptions): Array<Bytes | undefined>
  has (key: Bytes, options?: { snapshot?: Snapshot }): boolean
  hasMany (keys: Bytes[], options?: { snapshot?: Snapshot }): boolean[]
  put (key: Bytes, value: Bytes): void
  /** As put(), where the thread must not wait for the disk, or for a value above 1 MiB. */
  putAsync (key: Bytes, value: Bytes): Written
  del (key: Bytes): void
  delAsync (key: Bytes): Written
  /** One atomic, durable batch. Flat, three elements each: 'put' | 'del', key, value (undefined for 'del'). */
  batch (operations: unknown[]): void
  /** The same, where the thread must not wait for the disk, or for a batch above 1 MiB. */
  batchAsync (operations: unknown[], options?: BatchOptions): Written
  /** Begins a batch of very many operations, which is put together bit by bit: others may run in between. */
  gather (): GatheredBatch
  /** Deletes a range, atomically; everything where there are no options. Unknown options are a TypeError, as in all reads. */
  clear (options?: ClearOptions): void
  /** The same, where the thread must not wait for the disk, or for more than 100 entries to go. */
  clearAsync (options?: ClearOptions): Written
  iterator (options?: IteratorOptions): Iterator
  /**
   * Counts the entries of a range in logarithmic time. undefined: pages do not tell, as an engine wrote them that did not
   * count. Pages tell once they are written again.
   */
  count (options?: Range & { snapshot?: Snapshot }): number | undefined
}

/** Walks a range of a map in a snapshot: that of its options, or of when it was made. */
export class Iterator {
  private constructor ()
  /**
   * At most `count` entries, flat: key, value, key, value (or only one of them as asked); empty
   * at the end. Fewer come where they are big: a page is some 256 KiB of bytes, or 4 MiB of
   * strings. Bytes of one page share an ArrayBuffer.
   */
  nextv (count: number): Bytes[]
  /** Goes to `key`, or the next one in the iterator's direction. A key outside the range is its end. */
  seek (key: Bytes): void
  /**
   * Leaves out the next `count` entries, in logarithmic time; behind the last one is the end. False: pages do not tell
   * (see `count`), and nothing is left out.
   */
  skip (count: number): boolean
  close (): void
}

/** A state of the whole pool that no later write changes. */
export class Snapshot {
  private constructor ()
  /** Iterators that were made from it go on. */
  close (): void
}
