/// <reference types="node" />
import { BackupSummary, ByteSource, DumpOptions, LoadOptions, LoadSummary, PoolStream, RestoreOptions, StreamOptions, StreamProgress } from './backup'
import { ScrubStep } from './check'
import { OrderedMap, Snapshot, Written } from './map'
import { ChangeNotice, CollectSummary, KeptState, ObjectWatch, RegisterOptions, TransactionOptions, WatchOptions } from './objects'

/**
 * Bytes: a whole number, or one with a unit, as in `'64M'`, `'8MiB'`, `'1.5 GiB'` and `'500KB'` (`KB`, `MB`, `GB`, `TB` are
 * powers of 1000; `KiB`, `MiB`, `GiB`, `TiB`, and `K`, `M`, `G`, `T`, of 1024). Case does not count.
 */
export type Size = number | string

export interface CreateOptions {
  /** The size to begin with. Default 8 MiB, which is also the least. */
  size?: Size
  /**
   * The size that the pool may grow to; an existing one is raised to it, and never lowered. 0 makes
   * one file of `size` bytes that cannot grow; any other number a folder with a pool set that grows
   * part by part, 4 TiB at most. Address space is reserved for all of it, of which a process has
   * some 100 TiB.
   * Default 64 GiB, for a new pool.
   */
  maxSize?: Size
  /** The key of a pool that is encrypted. */
  key?: Key
}

/**
 * The failures that an acknowledged write survives if the pool is not on persistent memory: `strict`, a crash
 * of the process and a power cut; `relaxed`, a crash of the process, and a power cut except for the
 * writes of the last second. (On persistent memory always both.)
 */
export type Durability = 'strict' | 'relaxed'

/**
 * 32 bytes. The pool is encrypted with AES-256-GCM, or is made so; its backups are, too. Without its key it gives
 * `PMEMOBJ_KEY_NEEDED`, with another one `PMEMOBJ_WRONG_KEY`, and one that is not encrypted
 * `PMEMOBJ_NOT_ENCRYPTED` where a key is given.
 */
export type Key = Uint8Array

export interface DestroyOptions {
  /** Leave a pool that has maps or objects, or is damaged. Default false. */
  ifEmpty?: boolean
  /** To know whether a pool that is encrypted has any. Without it such a pool is left, or goes, as one that is damaged. */
  key?: Key
}

/** An option of another name is a `TypeError`, here and of all that takes options, except for reads and batches of maps. */
export interface OpenOptions extends CreateOptions {
  /** Make the pool where there is none. Default true. */
  createIfMissing?: boolean
  /** Fail where there is one. Default false. */
  errorIfExists?: boolean
  /** Default `strict`, or that of the threads that have the pool open already. */
  durability?: Durability
  /**
   * Free objects that nothing refers to any more by and by, in steps of about a millisecond, when there are
   * many. Default true; with false they stay until `pool.collect()`.
   */
  collect?: boolean
  /**
   * For development: a write to a plain object, array, Map, Set or Date throws a `TypeError` once it was copied
   * into the pool, for the pool would not see it. In sloppy code only methods throw, and a write to a property is ignored. Default false.
   */
  strict?: boolean
  /**
   * How many objects may be kept in JavaScript's memory when nothing but the pool refers to them: they
   * are read again when they are needed. Default 65536.
   */
  cacheSize?: number
  /**
   * The pool shows its maps as they are at the moment of opening, with every write acknowledged before, until it
   * is closed. Another process may write meanwhile, or this one: each such Pool stands by itself. All that writes,
   * or concerns objects, throws `PMEMOBJ_READ_ONLY`; `map()` of a map that is missing throws
   * `PMEMOBJ_NOT_FOUND`. Permission to read the files is enough. No other option than `key` counts, and
   * `createIfMissing` is false. Space that the writer gives up meanwhile can be used again only once this pool is
   * closed, so close it, and open it again for what is new. Default false.
   */
  readOnly?: boolean
  /**
   * The memory that what was decrypted of a pool with a `key` may take. Above it, some is given back whenever no
   * snapshot and no iterator is open, and is decrypted again when it is read. Default a quarter of the machine's.
   * It counts for the thread that opens the pool first.
   */
  decryptedMemory?: Size
  /**
   * The pool that knows whether a transaction over several was done, of which this one has a part that a crash has left:
   * open in this thread, or its path. Default: that pool where it was, as seen from this one's folder or by its path.
   * False: it is lost, and the part is dropped. Opening throws `PMEMOBJ_IN_DOUBT` where that pool cannot be asked.
   */
  coordinator?: Pool | string | false
}

/** Bytes, except for the last two. */
export interface PoolStats {
  size: number
  /** The size that it may grow to. */
  maxSize: number
  /**
   * Bytes that commits and snapshots need. A reader does not know: `used` is `size` for it, and the next two are 0.
   * Right after a big pool was opened, bytes count that are not yet known to be free.
   */
  used: number
  /** The space that writes may still take, growth included. */
  free: number
  /** The biggest value that fits now. */
  largest: number
  /** Flushed by cache line (DAX, or forced) and not by writing the file. */
  isPmem: boolean
  snapshots: number
  /** The memory that what was decrypted takes; 0 of a pool without a key. */
  decrypted: number
}

/** Bytes that the pool's files take on their disk. */
export interface CompactSummary {
  before: number
  after: number
}

/**
 * A pool of libpmemobj: ordered maps, and persistent objects, of which `root` is the first. Worker threads may
 * open the same pool: they share it. Calls are synchronous, and durable when they return, except for those whose
 * names end in Async.
 *
 * @typeParam Root what `root` holds. In a new pool that is `undefined`, whatever is said here.
 */
export class Pool<Root = any> {
  /**
   * Makes a pool at `path`, and fails with `PMEMOBJ_EXISTS` where there is one, or anything else.
   */
  static create<Root = any> (path: string, options?: Omit<OpenOptions, 'createIfMissing' | 'errorIfExists' | 'readOnly'>): Pool<Root>
  /**
   * Opens the pool at `path`, or makes it. Once in each thread; another process cannot open it
   * meanwhile, but with `readOnly`. If another thread has it open already, the sizes do not count.
   */
  static open<Root = any> (path: string, options?: OpenOptions): Pool<Root>
  /**
   * Removes a pool's files, and its folder where nothing else is in it. The pool may be damaged,
   * but must not be open. Gives whether it has gone.
   */
  static destroy (path: string, options?: DestroyOptions): boolean
  /**
   * Makes a pool of a backup. It is at `path` when all of the backup was read and found good; a
   * failure leaves nothing. One value at a time is held whole.
   */
  static restore (path: string, source: ByteSource, options?: RestoreOptions): Promise<BackupSummary>
  /** The same of a dump, as `pool.dump()`, `mdb_dump` and `db_dump` write it. */
  static load (path: string, source: ByteSource, options?: LoadOptions): Promise<LoadSummary>
  private constructor ()
  readonly path: string
  readonly closed: boolean
  /** Whether it was opened with `readOnly`. */
  readonly readOnly: boolean
  /** As the first of the process's threads has opened it. */
  readonly durability: 'strict' | 'relaxed'
  /**
   * Throws what `Pool.open` would throw if one more user opened the pool with these options: for programs that
   * share a `Pool` among several. `PMEMOBJ_INVALID` for another durability, else a key's code.
   */
  admit (options: { durability?: 'strict' | 'relaxed', key?: Key }): void
  /**
   * The value that keeps all others: what it reaches, directly or through other objects, survives. Any value
   * that can be kept: undefined, null, booleans, numbers, bigints, strings; objects and arrays, Date, Map, Set,
   * ArrayBuffer, typed arrays, Buffer, DataView, RegExp, errors, boxed primitives, symbols of
   * `Symbol.for`; instances of classes that were registered. Plain values are
   * copied into the pool as they are assigned, persistent objects are referred to, and each assignment, here or
   * in any object below, is durable when it returns. Anything else is a TypeError, and nothing has changed then.
   */
  get root (): Root
  set root (value: Root)
  /**
   * A persistent copy of `value` that nothing refers to yet: it survives if the root reaches it before the pool
   * is closed. Primitives, and objects of this pool, are given back as they are.
   */
  create<Value> (value: Value): Value
  /**
   * A plain copy of a persistent object, with cycles and shared references as they are. Any other value is given
   * back as it is.
   */
  plain<Value> (value: Value): Value
  /**
   * Calls `fn` and gives what it gives. All that it changed, in objects and by `put`, `del`, `batch` and `write` in
   * maps of this pool, is durable when the call returns, or, if `fn` throws or the power fails, did not happen.
   * `get`, `getMany`, `has` and `hasMany` see what was done to their map; what would not be a part of it (`clear`,
   * `dropMap`, all that ends in Async), and iterators and snapshots once it has changed a map, throw
   * `PMEMOBJ_IN_TRANSACTION`.
   * Within another transaction it joins that one, and if it throws only its own changes are undone. `fn` must
   * not be asynchronous, nor a generator: that is a TypeError, and nothing has changed.
   */
  transaction<Result> (fn: () => Result extends Later ? never : Result, options?: TransactionOptions): Result
  /**
   * The same over several pools: all that `fn` changes in objects and maps of them is durable in all of them when the call
   * returns, or did not happen in any. It costs two commits more for each further pool that has changed. `PMEMOBJ_IN_TRANSACTION`: a transaction is
   * under way that has not all of them; `PMEMOBJ_INVALID`: bytes of buffers have changed in more than one.
   * `PMEMOBJ_IN_DOUBT`: it is done, except that a pool could not bring in its part; that one is closed, and does when it is opened again.
   */
  static transaction<Result> (pools: Pool[], fn: () => Result extends Later ? never : Result): Result
  /**
   * Lets instances of a class be kept. They have its prototype again when they are read, in this process or a
   * later one that has registered a class of the same name; the constructor is not called then. A TypeError: classes with
   * private fields (`#name`), and those that extend Array, Map, Date and the like.
   */
  register (constructor: abstract new (...words: any) => object, options?: RegisterOptions): void
  /** Frees all that neither the root nor JavaScript reaches, now. */
  collect (): CollectSummary
  /**
   * In a thread that only reads objects: moves on to the latest commit at once. Without it, a thread sees the
   * objects as they were when it first looked at one, until the next turn of its event loop.
   * Messages that come together are handled in one turn: what was told that there is something new calls this first.
   */
  refresh (): void
  /**
   * Keeps the objects and maps as they are, until the state that it gives is closed, or the pool. Their space is not used
   * again before.
   */
  keep (name?: string): KeptState<Root>
  /**
   * A state that is kept: of that commit, or the latest with that name.
   *
   * @throws PMEMOBJ_NOT_FOUND
   */
  at (which: number | string): KeptState<Root>
  /** The states that this thread keeps, the oldest first. */
  readonly history: KeptState<Root>[]
  /**
   * Calls `listener` after each commit that has changed the object, of this thread or another one of the process.
   * It runs once the program under way has come to its end; what it throws is an uncaught exception.
   *
   * @throws PMEMOBJ_INVALID where the pool does not keep the object yet; PMEMOBJ_IN_TRANSACTION
   */
  watch (object: object, listener: (notice: ChangeNotice) => void, options?: WatchOptions): ObjectWatch
  /** The same, to be iterated over by `for await`: a slow iteration has a thousand notices, and a single one for all behind them. */
  watch (object: object, options?: WatchOptions): ObjectWatch
  /** The named map, made where there is none. Names have 1 to 255 bytes, of which the first is not 0. */
  map (name: string): OrderedMap
  /**
   * The same, and no thread drops it (`PMEMOBJ_IN_USE`) until this one releases it or closes the pool.
   * `PMEMOBJ_IN_USE` where this thread holds it already. With `alone`, no other thread holds it
   * meanwhile, and this one may drop it.
   */
  hold (name: string, options?: { alone?: boolean, writer?: boolean }): OrderedMap
  /** Ends what `hold` began. */
  release (name: string): void
  /** Names, sorted by bytes. */
  maps (): string[]
  /** Deletes the map with all that is in it. Not in a transaction. */
  dropMap (name: string): void
  /**
   * One atomic, durable batch over any maps of the pool.
   * `operations` is flat, four elements each: map, 'put' | 'del', key, value (undefined for 'del').
   */
  write (operations: unknown[]): void
  /** The same, where the thread must not wait for the disk, or for a batch above 1 MiB. */
  writeAsync (operations: unknown[]): Written
  /** The latest commit, of all maps. */
  snapshot (): Snapshot
  /** Makes all writes so far durable, those of a relaxed pool too. */
  flush (): void
  flushAsync (): Promise<void>
  /**
   * Brings together what the pool holds, and gives the file system the space that is then free, as holes in the
   * files. Works in small steps: the pool is read and written as ever meanwhile. Contents of snapshots, memory of
   * ArrayBuffers, and values above 3 MiB stay where they are. A crash harms nothing.
   */
  compact (): Promise<CompactSummary>
  /**
   * Verifies the checksums of pages and values again, whatever was found when they were first read: about `bytes` of
   * them (default 1 MiB; a value is read whole), from where the step before has ended, in the state of the last
   * checkpoint. Works on a thread of its own and holds that state for the step only; no writer waits. A pass
   * is done when a step says so. Buffers have no checksum. Parts of the files that the system has in its cache are read there.
   */
  scrub (from?: { map: Buffer, key: Buffer }, bytes?: number): Promise<ScrubStep>
  /**
   * Lets the pool, which is encrypted, open with that key instead of the one before, which opens it until this
   * returns. The pool's content is not encrypted again: both keys protect the key that it is encrypted with. Threads
   * that have the pool open go on, and make their backups with the key that they opened it with.
   * `PMEMOBJ_NOT_ENCRYPTED`.
   */
  rotateKey (key: Key): void
  stats (): PoolStats
  /**
   * A backup, as bytes, of all maps as they are now, or in a snapshot; writes may go on. It holds in
   * memory what a page of an iterator takes, and for a value above that, twice its length.
   */
  backup (options?: StreamOptions): PoolStream
  /** The same into a file, durably: until the backup is whole, the file is missing, or as it was. */
  backupTo (file: string, options?: StreamOptions): Promise<StreamProgress>
  /** All maps as text, in the format of `db_dump` and `mdb_dump`. */
  dump (options?: DumpOptions): PoolStream
  /**
   * Waits for this thread's writes that are under way, ends its iterators and snapshots, then closes.
   * Objects of the pool throw `PMEMOBJ_CLOSED` from then on, and views of its buffers have no bytes any more.
   * Closing twice is allowed. In a transaction it throws `PMEMOBJ_IN_TRANSACTION`; and `PMEMOBJ_IN_USE` while
   * memory of a buffer is with an ArrayBuffer that it was transferred to (by a byte stream's reader that was
   * given a view of it, say): the pool stays open then. If writes of a relaxed pool could not be made
   * durable, it throws their error, `PMEMOBJ_IO` say, and is closed.
   */
  close (): void
}

/** Results that a transaction cannot give: it would be over before they have run. */
type Later = PromiseLike<unknown> | Generator<unknown, unknown, any> | AsyncGenerator<unknown, unknown, any>

export {}
