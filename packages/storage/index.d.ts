/// <reference types="node" />
import { AbstractLevel } from 'abstract-level'
import { ClassicLevel, DatabaseOptions } from 'classic-level'
import { PostgresLevelOptions } from 'postgres-level'

export interface StorageOptions {
  /** Default `auto`: what the path has already, else a pool, or classic-level where the addon does not load. */
  storage?: 'auto' | 'pmem' | 'classic-level' | 'memory' | `postgres://${string}` | `postgresql://${string}`
  /** A folder, made where there is none; the level is in it under the storage's name. Not for memory and PostgreSQL. */
  path?: string
  /** Take a file system that forgets with a restart of the machine (tmpfs). Default false. */
  allowVolatile?: boolean
  /** Bytes of a new pool. */
  size?: number
  /** Bytes that the pool may grow to; 0: a new one cannot grow. Default 1 TiB. */
  maxSize?: number
  /**
   * For a pool that is not on persistent memory: whether a write waits for the disk, or a power cut may
   * take the last second of writes. Default `strict`.
   */
  durability?: 'strict' | 'relaxed'
  /** 32 bytes: the pool is encrypted, or is made so. Other storages refuse it. */
  key?: Uint8Array
  /**
   * A pool shows the moment of opening, beside a process that writes, and takes no writes. Other storages are opened
   * as always, which fails while another process has them. Default false.
   */
  readOnly?: boolean
  /** Whether no other thread of the process may open a pool so: see pmem-level. Default false. */
  writer?: boolean
  /** Options of a level in PostgreSQL. */
  postgres?: PostgresLevelOptions<any, any>
}

export interface Description {
  storage: 'pmem' | 'classic-level' | 'memory' | 'postgres'
  /** The level's folder. Null for memory and PostgreSQL. */
  path: string | null
  /** The URL of PostgreSQL without its password. */
  location?: string
  /** `ext4`, `tmpfs`, …; null for memory. */
  fileSystem: string | null
  /** `persistent memory (DAX)`, `emulated persistent memory`, `file system`, `tmpfs`, `ramfs`, `memory`. */
  medium: string
  /** The step that makes a write durable. */
  commit: string
  /** The failures that an acknowledged write survives: `process crash and power cut`, … */
  survives: string
  /** Why it is this storage, where that was not asked for. */
  reason?: string
  /** Bytes, of pools. */
  pool?: { size: number, maxSize: number, used: number, free: number, largest: number }
}

export interface Storage {
  /** Open. Closing it is the caller's. */
  level: AbstractLevel<any, any, any>
  storage: 'pmem' | 'classic-level' | 'memory' | 'postgres'
  /** The level's folder. Null for memory and PostgreSQL. */
  path: string | null
  describe (): Description
  /**
   * Why it takes no writes now: the disk, or the pool at its greatest size, is full, or writing fails. null: it takes
   * them. One that can recover does so first.
   */
  writeFault (): Promise<'full' | 'failed' | null>
}

/**
 * Opens the storage under a document store.
 *
 * Errors: `STORAGE_UNKNOWN`, `STORAGE_UNAVAILABLE`, `STORAGE_VOLATILE`, `STORAGE_NOT_ENCRYPTED`, or those of the level.
 */
export function open (options?: StorageOptions): Promise<Storage>

/**
 * The databases of pouchdb-adapter-pmem at a place: a database's folder, or those below a folder. `open` gives
 * the database's level, open; it is the caller's to close. `key` is that of the pools that are encrypted. Errors
 * of `open` are those of pmem-level's: `LEVEL_LOCKED`, `LEVEL_PMEM_KEY_NEEDED`, `LEVEL_PMEM_WRONG_KEY`, …
 */
export function findPouchPools (place: string, options?: { key?: Uint8Array }): Array<{ name: string, folder: string, open (): Promise<AbstractLevel<any, any, any>> }>

export interface Salvaged {
  storage: 'pmem' | 'classic-level'
  /** Whether anything is lost, or may be. null: LevelDB does not say. */
  lost: boolean | null
  /** In pools: a value, an entry whose key begins so, or entries of the keys from `from` up to `to`, or to the end. */
  missing: Array<{ kind: 'page' | 'value' | 'key', from: Buffer, to?: Buffer }>
  /** Losses and doubts in words. */
  notes: string[]
}

/**
 * Brings what is whole out of a storage that is damaged, or does not open, into a new one of the same kind in
 * another folder, where there is none. The old one is only read. A failure may leave something in the new folder.
 *
 * Errors: `STORAGE_UNKNOWN` (there is none), `LEVEL_LOCKED` or `PMEMOBJ_IN_USE` (another process has it open),
 * those of the file system.
 */
export function salvage (from: string, to: string, options?: { size?: number, key?: Uint8Array }): Promise<Salvaged>

/**
 * Reads a key: a file of 32 bytes, or of 64 hexadecimal digits, that not all users may read. It needs the addon of
 * pools. Errors are those of pmemobj's `readKeyFile`.
 */
export function readKeyFile (file: string): Buffer

/** Makes the names of files that were made or renamed in a folder durable, where the system can. */
export function syncFolderSync (folder: string): void

/** The size of a new pool in bytes, as a command line has it: `64M`, `1.5 GiB`. Throws a TypeError where no pool has it. */
export function poolSizeOf (text: string): number

/** Encrypts a stream of bytes: see pmemobj's `encryptBackup`, and for its errors too. It needs the addon of pools. */
export function encryptBackup (source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, key: Uint8Array): AsyncGenerator<Buffer, void>
/** The bytes again. */
export function decryptBackup (source: AsyncIterable<Uint8Array>, key?: Uint8Array): Promise<{ encrypted: boolean, bytes: AsyncGenerator<Buffer, void> }>

/**
 * Another descriptor of a file or socket, for another thread of this process: Node.js closes a
 * descriptor with the thread that has it. It needs the addon of pools. Errors: `EBADF`, `EMFILE`.
 */
export function duplicateDescriptor (descriptor: number): number

/**
 * Holds a file or a folder until it is released, or the process ends in whatever way: nobody else can hold it
 * meanwhile. Null where it cannot be held: another process holds it, it is not there, or the addon of pools is not.
 */
export function holdPath (path: string): (() => void) | null

/** Gives memory back to the system that was freed and that the C library keeps: whether there was any. */
export function releaseMemory (): boolean

/**
 * classic-level whose every write is on disk when its promise resolves, unless `sync` is false, and
 * whose folder opens again after a power cut at any moment, also while it is made. A disk that is full, or fails,
 * is an error of writes, `LEVEL_NO_SPACE` or `LEVEL_IO_ERROR`; once there is room, the next write succeeds.
 */
export class DurableClassicLevel<K = string, V = string> extends ClassicLevel<K, V> {
  constructor (location: string, options?: DatabaseOptions<K, V> & { sync?: boolean })
  /** After a write that failed: opens the folder again, if there is room. Rejects as writes do. */
  recover (): Promise<void>
}

/** The file system that a path is on, or will be. `volatile`: it forgets with a restart of the machine; `dax`: direct access. */
export function fileSystemOf (location: string): { type: string, volatile: boolean, dax: boolean }

/** Bytes that this process may still write on the disk of a folder; Infinity for file systems that do not say. */
export function freeSpace (folder: string): Promise<number>

/** Why pools do not open on this machine, in a line; null: they do. */
export function poolFault (): string | null
