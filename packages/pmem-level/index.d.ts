/// <reference types="node" />
import { AbstractDatabaseOptions, AbstractLevel, AbstractOpenOptions, AbstractSnapshot } from 'abstract-level'
import { Readable } from 'node:stream'
import { BackupSummary, ByteSource, CompactSummary, ScrubStep, Durability, Key, Pool, PoolStats, RestoreOptions, Size, StreamOptions } from 'pmemobj'

declare namespace PmemLevel {
  export interface PmemLevelOpenOptions extends AbstractOpenOptions {
    /** Make the pool, and the folders above it, where there is none. Default true. */
    createIfMissing?: boolean
    /** Fail where there is one. Default false. */
    errorIfExists?: boolean
    /** Bytes of a new pool to begin with. Default 8 MiB, which is also the least. */
    size?: Size
    /**
     * Bytes that the pool may grow to; of one that exists, if that is more than it had. 0 makes one file
     * that cannot grow. Default 64 GiB for a new one.
     */
    maxSize?: Size
    /** The failures that a write survives if there is no persistent memory. Default `strict`. */
    durability?: Durability
    /** 32 bytes: the pool is encrypted, or is made so. Databases of one pool have one key. */
    key?: Key
    /**
     * The database shows the moment of opening until it is closed, beside a process that writes. Writes give
     * `LEVEL_PMEM_READ_ONLY`. It must be there: of the other options only `key` and `map` count. Default false.
     */
    readOnly?: boolean
    /**
     * Whether it is the only one of the process that may be opened so: another thread's is LEVEL_LOCKED then. For whoever keeps in memory
     * what is stored; threads that only read open it without. Default false.
     */
    writer?: boolean
  }

  export interface PmemLevelOptions<K, V> extends AbstractDatabaseOptions<K, V>, PmemLevelOpenOptions {
    /**
     * The pool's map that the database is in: 1 to 255 bytes, of which the first is not 0. So several
     * databases have a pool together, also in one thread. Default `level`.
     */
    map?: string
  }

  export interface PmemLevelDestroyOptions {
    /** Drop this map only, and leave the pool. No thread may have it open. */
    map?: string
    /** Leave a pool that has maps. */
    ifEmpty?: boolean
    /** The key of a pool that is encrypted: needed where one of its maps is to go, or what it has counts. */
    key?: Key
  }

  /** Bounds as in abstract-level's ranges, as they are stored: strings are UTF-8. */
  export interface PmemLevelCountOptions {
    gt?: string | Uint8Array
    gte?: string | Uint8Array
    lt?: string | Uint8Array
    lte?: string | Uint8Array
    /** An explicit snapshot of the database to count in. */
    snapshot?: AbstractSnapshot
  }

  export interface PmemLevelRangeOptions extends PmemLevelCountOptions {
    reverse?: boolean
    limit?: number
  }

  export interface PmemLevelBackupOptions extends Omit<StreamOptions, 'snapshot' | 'map' | 'as'> {
    /** An explicit snapshot of the database, to stay open until the stream has ended. */
    snapshot?: AbstractSnapshot
  }

  /** Throws `LEVEL_LEGACY`, and says what to use: a database of promises is no LevelDOWN. */
  export function down (...args: any[]): never

  export { PmemLevel }
}

/**
 * An abstract-level database in a pool of libpmemobj. Every write is durable when its promise
 * resolves. Worker threads that open the same location share one database.
 */
declare class PmemLevel<KDefault = string, VDefault = string>
  extends AbstractLevel<string | Buffer | Uint8Array, KDefault, VDefault> {
  /**
   * @param location a folder, or with `maxSize: 0` a file. Or a pool that the application has open, and closes after the
   *   database: of the options `map`, `createIfMissing` and `errorIfExists` count then
   */
  constructor (location: string | Pool, options?: PmemLevel.PmemLevelOptions<KDefault, VDefault>)

  /** As given to the constructor. */
  get location (): string
  /** The pool's map that the database is in. */
  get map (): string
  /** True: reads have done their work when they return. */
  get synchronous (): true

  open (): Promise<void>
  open (options: PmemLevel.PmemLevelOpenOptions): Promise<void>

  snapshot (options?: any): AbstractSnapshot

  /**
   * Counts the entries of a range in logarithmic time. undefined: the pool does not tell, as an engine wrote it that did not
   * count; what is written again does. The database must be open. Iterators have `skip(count)` likewise, which leaves out
   * the next entries, or gives false.
   */
  count (options?: PmemLevel.PmemLevelCountOptions): number | undefined

  /** Reads a range at once, as `getSync` reads a key: keys and values as strings. The database must be open. */
  entriesSync (options?: PmemLevel.PmemLevelRangeOptions): Array<[string, string]>

  /**
   * Writes a batch as `batch` does, of text (as UTF-8) and bytes as they are, at less cost: operations have no options of their own, and
   * neither hooks nor listeners of `write` are told. It is done, or an error thrown, when this returns, unless that is a promise. The
   * database must be open.
   */
  writeBatch (operations: Array<{ type: 'put', key: string | Uint8Array, value: string | Uint8Array } | { type: 'del', key: string | Uint8Array }>, options?: { kept?: 'half' | 'all' }): Promise<void> | undefined

  /** Sizes of the pool in bytes, and whether it is persistent memory. The database must be open. */
  stats (): PoolStats

  /** Gives the file system the space that the pool does not need, while it is in use. The database must be open. */
  compact (): Promise<CompactSummary>
  /** Verifies the checksums of the pool again, step by step. See pmemobj's `scrub`. The database must be open. */
  scrub (from?: { map: Buffer, key: Buffer }, bytes?: number): Promise<ScrubStep>
  /**
   * Lets the pool, which is encrypted, open with that key instead of the one before. See pmemobj's `rotateKey`.
   * Errors: `LEVEL_PMEM_NOT_ENCRYPTED`.
   */
  rotateKey (key: Key): Promise<void>

  /** Makes all writes so far durable, those of a relaxed database too. */
  flush (): Promise<void>

  /** Removes the pool's files, or drops one of its maps; what does not exist is fine. It must not be open. */
  static destroy (location: string, options?: PmemLevel.PmemLevelDestroyOptions): Promise<void>

  /** A backup of the database as it is now, or in a snapshot. Writes may go on. The database must be open. */
  backup (options?: PmemLevel.PmemLevelBackupOptions): Readable

  /** Makes a database of a backup: it is there when all of the backup was read and found good. */
  static restore (location: string, source: ByteSource, options?: RestoreOptions): Promise<BackupSummary>
}

export = PmemLevel
