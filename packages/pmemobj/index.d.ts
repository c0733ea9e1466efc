/// <reference types="node" />
import { Readable } from 'node:stream'

/** How keys or values cross: `utf8` as strings, `buffer` as Buffers, `view` as Uint8Arrays. */
export type Encoding = 'utf8' | 'buffer' | 'view'
export type Bytes = string | Uint8Array

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
   * How many objects may be kept in JavaScript's memory when nothing but the pool refers to them: they
   * are read again when they are needed. Default 65536.
   */
  cacheSize?: number
  /**
   * The pool shows its maps as they are at the moment of opening, with every write acknowledged before, until it
   * is closed. Another process may write meanwhile, or this one: each such Pool stands by itself. What writes, and
   * what concerns objects, throws `PMEMOBJ_READ_ONLY`; `map()` of a map that is missing throws
   * `PMEMOBJ_NOT_FOUND`. Permission to read the files is enough. Of the other options only `key` counts, and
   * `createIfMissing` is false. Space that the writer gives up meanwhile can be used again only once this pool is
   * closed, so close it, and open it again for what is new. Default false.
   */
  readOnly?: boolean
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
}

/** Bytes that the pool's files take on their disk. */
export interface CompactSummary {
  before: number
  after: number
}

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

/**
 * Reads a key: a file of 32 bytes, or of 64 hexadecimal digits. `PMEMOBJ_PERMISSION` where all users may read it,
 * `PMEMOBJ_INVALID` where it holds something else.
 */
export function readKeyFile (file: string): Buffer

/** Encrypts a stream of bytes as the backups of encrypted pools are: for backups of another form. */
export function encryptBackup (source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, key: Key): AsyncGenerator<Buffer, void>

/**
 * The bytes again. Bytes that were not encrypted come as they are, and need no key. `PMEMOBJ_KEY_NEEDED`,
 * `PMEMOBJ_WRONG_KEY`, `PMEMOBJ_BACKUP_VERSION`, `PMEMOBJ_BACKUP_DAMAGED`, at once or while they are read: only when
 * all were read are they whole.
 */
export function decryptBackup (source: ByteSource, key?: Key): Promise<{ encrypted: boolean, bytes: AsyncGenerator<Buffer, void> }>

/**
 * Another descriptor of a file or socket. Threads that share a pool may share a listening socket, too, and
 * Node.js closes a descriptor with the thread that has it. Errors: `EBADF`, `EMFILE`.
 */
export function duplicateDescriptor (descriptor: number): number

/** Gives memory back to the system that was freed and that glibc keeps: whether there was any. Other C libraries give it back by themselves. */
export function releaseMemory (): boolean
/** Largest key and value, in bytes: 32 KiB and 1 GiB. */
export const maxKeySize: number
export const maxValueSize: number

/** The meaning of each code of an error. */
export const codes: Readonly<Record<Code, string>>

/** Errors have a stable `code`; a wrong type of argument is a TypeError. */
export type Code =
  | 'PMEMOBJ_NOT_FOUND' | 'PMEMOBJ_EXISTS' | 'PMEMOBJ_NOT_A_POOL' | 'PMEMOBJ_LAYOUT_VERSION'
  | 'PMEMOBJ_IN_USE' | 'PMEMOBJ_NO_SPACE' | 'PMEMOBJ_CORRUPT' | 'PMEMOBJ_PERMISSION'
  | 'PMEMOBJ_INVALID' | 'PMEMOBJ_KEY_NEEDED' | 'PMEMOBJ_WRONG_KEY' | 'PMEMOBJ_NOT_ENCRYPTED'
  | 'PMEMOBJ_ENCRYPTED' | 'PMEMOBJ_IO' | 'PMEMOBJ_NO_MEMORY' | 'PMEMOBJ_CLOSED' | 'PMEMOBJ_READ_ONLY'
  | 'PMEMOBJ_IN_TRANSACTION'
  | 'PMEMOBJ_NOT_A_BACKUP' | 'PMEMOBJ_BACKUP_VERSION' | 'PMEMOBJ_BACKUP_DAMAGED' | 'PMEMOBJ_BAD_DUMP'

/**
 * The result of a write that does not make its thread wait: undefined if all is done when it returns
 * (errors are thrown then), else a promise that resolves when the write is durable. Writes of one
 * thread keep their order, whichever way they are called.
 */
export type Written = Promise<void> | undefined

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
   * ArrayBuffer, typed arrays, Buffer, DataView; instances of classes that were registered. Plain values are
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
  transaction<Result> (fn: () => Result extends Later ? never : Result): Result
  /**
   * Lets instances of a class be kept. They have its prototype again when they are read, in this process or a
   * later one that has registered a class of the same name; the constructor is not called then. Private fields
   * (`#name`) are not kept. A TypeError: classes that extend Array, Map, Date, Error and the like.
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
  /** The named map, made where there is none. Names have 1 to 255 bytes, of which the first is not 0. */
  map (name: string): OrderedMap
  /**
   * The same, and no thread drops it (`PMEMOBJ_IN_USE`) until this one releases it or closes the pool.
   * `PMEMOBJ_IN_USE` where this thread holds it already. With `alone`, no other thread holds it
   * meanwhile, and this one may drop it.
   */
  hold (name: string, options?: { alone?: boolean }): OrderedMap
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
   * files. Works in small steps: the pool is read and written as ever meanwhile. What snapshots hold, memory of
   * ArrayBuffers, and values above 3 MiB stay where they are. A crash harms nothing.
   */
  compact (): Promise<CompactSummary>
  /**
   * Verifies the checksums of pages and values again, whatever was found when they were first read: about `bytes` of
   * them (default 1 MiB; a value is read whole), from where the step before has ended, in the state of the last
   * checkpoint. Works on a thread of its own and holds that state for the step only; no writer waits. A pass
   * is done when a step says so. Buffers have no checksum. What the system has of the files in its cache is read there.
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
   * A backup, as bytes, of all maps as they are now, or in a snapshot; writes may go on. What a
   * page of an iterator takes is held in memory, and of a value above that, twice its length.
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

/** A stream of Node.js or of the web, or anything else that gives bytes asynchronously. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

export interface StreamOptions {
  /** The state to write out, in place of the latest commit. It must stay open until the stream has ended. */
  snapshot?: Snapshot
  /** Write out this map only. `PMEMOBJ_NOT_FOUND` where there is none. Default: all maps, and the objects. */
  map?: string
  /** The name of that map in what is written. Default: its own. */
  as?: string
  /** Called for every chunk. An error that it throws destroys the stream. */
  onProgress?: (progress: StreamProgress) => void
  signal?: AbortSignal
}

export interface DumpOptions extends StreamOptions {
  /** `bytevalue` (the default) has all bytes in hexadecimal; `print` what is printable as it is. */
  format?: 'bytevalue' | 'print'
  /**
   * Add the line `mapsize=` to each map, with as many bytes: without it `mdb_load` makes room for
   * 1 MiB, with it `db_load` refuses the dump.
   */
  mapSize?: number
}

export interface StreamProgress {
  /** The map that is being read. */
  map: string | undefined
  /** Maps that were begun. */
  maps: number
  /** Entries that were read. */
  entries: number
  /** Bytes of the stream so far. */
  bytes: number
  /** Bytes that the pool has in use: about as many as a backup will have, or somewhat more. */
  estimate: number
}

export interface PoolStream extends Readable {
  readonly progress: StreamProgress
}

export interface RestoreOptions extends CreateOptions {
  onProgress?: (progress: RestoreProgress) => void
  signal?: AbortSignal
}

export interface LoadOptions extends RestoreOptions {
  /** The map for a part of the dump that names none. Default `main`. */
  map?: string
}

export interface RestoreProgress {
  map: string | undefined
  maps: number
  entries: number
  /** Bytes of keys and values. */
  bytes: number
}

export interface LoadSummary {
  maps: number
  entries: number
  /** Bytes of keys and values. */
  bytes: number
}

export interface BackupSummary extends LoadSummary {
  /** When the backup was begun. */
  created: Date
  /** The id of the backup, random: 32 hexadecimal digits. */
  id: string
}

export interface ReadOptions {
  /** How the value is given. Default `utf8`. */
  encoding?: Encoding
  /** Read from it, not from the latest commit. */
  snapshot?: Snapshot
}

/** If both are given, `gte` wins over `gt`, and `lte` over `lt`. */
export interface Range { gt?: Bytes, gte?: Bytes, lt?: Bytes, lte?: Bytes }

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
  /** Deletes a range, atomically; with a limit or in reverse, that many from that end. */
  clear (options?: Range & { reverse?: boolean, limit?: number, snapshot?: Snapshot }): void
  /** The same, where the thread must not wait for the disk, or for more than 100 entries to go. */
  clearAsync (options?: Range & { reverse?: boolean, limit?: number, snapshot?: Snapshot }): Written
  iterator (options?: IteratorOptions): Iterator
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
  close (): void
}

/** A state of the whole pool that no later write changes. */
export class Snapshot {
  private constructor ()
  /** Iterators that were made from it go on. */
  close (): void
}
