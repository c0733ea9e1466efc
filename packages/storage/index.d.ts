/// <reference types="node" />
import { AbstractLevel } from 'abstract-level'
import { ClassicLevel } from 'classic-level'

export interface StorageOptions {
  /** Default `auto`: what the path has already, else a pool, but classic-level where the addon does not load or on an ordinary disk. */
  storage?: 'auto' | 'pmem' | 'classic-level' | 'memory'
  /** A folder, made where there is none; the level is in it under the storage's name. Not for memory. */
  path?: string
  /** Take a file system that forgets with a restart of the machine (tmpfs). Default false. */
  allowVolatile?: boolean
  /** Bytes of a new pool. */
  size?: number
  /** Bytes that the pool may grow to; 0: a new one cannot grow. Default 1 TiB. */
  maxSize?: number
  /**
   * Of a pool that is not on persistent memory: whether a write waits for the disk, or a power cut may
   * take the last second of writes. Default `strict`.
   */
  durability?: 'strict' | 'relaxed'
}

export interface Description {
  storage: 'pmem' | 'classic-level' | 'memory'
  /** Of the level. Null for memory. */
  path: string | null
  /** `ext4`, `tmpfs`, …; null for memory. */
  fileSystem: string | null
  /** `persistent memory (DAX)`, `emulated persistent memory`, `file system`, `tmpfs`, `ramfs`, `memory`. */
  medium: string
  /** What makes a write durable. */
  commit: string
  /** What an acknowledged write survives: `process crash and power cut`, … */
  survives: string
  /** Why it is this storage, where that was not asked for. */
  reason?: string
  /** Bytes, of pools. */
  pool?: { size: number, maxSize: number, used: number, free: number, largest: number }
}

export interface Storage {
  /** Open. Closing it is the caller's. */
  level: AbstractLevel<any, any, any>
  storage: 'pmem' | 'classic-level' | 'memory'
  /** Of the level. Null for memory. */
  path: string | null
  describe (): Description
}

/**
 * Opens the storage under a document store.
 *
 * Errors: `STORAGE_UNKNOWN`, `STORAGE_UNAVAILABLE`, `STORAGE_VOLATILE`, or those of the level.
 */
export function open (options?: StorageOptions): Promise<Storage>

/**
 * Another descriptor of a file or socket, for another thread of this process: Node.js closes a
 * descriptor with the thread that has it. It needs the addon of pools. Errors: `EBADF`, `EMFILE`.
 */
export function duplicateDescriptor (descriptor: number): number

/** classic-level whose every write is on disk when its promise resolves. */
export class DurableClassicLevel<K = string, V = string> extends ClassicLevel<K, V> {}
