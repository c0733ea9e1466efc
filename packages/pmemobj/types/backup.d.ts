/// <reference types="node" />
import { Readable } from 'node:stream'
import { Snapshot } from './map'
import { CreateOptions, Key } from './pool'

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
