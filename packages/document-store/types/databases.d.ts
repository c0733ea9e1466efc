/// <reference types="node" />
import { AbstractLevel } from 'abstract-level'
import { EventEmitter } from 'node:events'
import { DocumentReader, DocumentStore, StoreOptions } from './store'

/**
 * The databases in one level: a name each, durable, made and dropped atomically.
 * Emits `created` and `updated` with the name and the store, `deleted` with the name, and `opened` with a
 * store that was opened.
 */
export class Databases extends EventEmitter {
  static open (level: AbstractLevel<any, any, any>, options?: { prefix?: string } & Pick<StoreOptions, 'revsLimit' | 'autoCompaction' | 'deterministicRevs' | 'sync' | 'gather' | 'maxPartitionSize'>): Promise<Databases>
  /** file_exists where there is one. `meta` is set in the same commit. A partitioned one stays so. */
  create (name: string, options?: { meta?: Record<string, any>, partitioned?: boolean }): Promise<DocumentStore>
  /** Opened once and shared; not_found (no_db_file) where there is none. */
  get (name: string): Promise<DocumentStore>
  has (name: string): boolean
  /** Returns what is stored of each, without opening any. */
  summaries (): Promise<Array<{ name: string, instanceId: string, updateSeq: number }>>
  /** The stores that are open now. */
  opened (): Promise<DocumentStore[]>
  /** Sorted by bytes. */
  list (): string[]
  destroy (name: string): Promise<void>
  /** Closes the stores, not the level. */
  close (): Promise<void>
}

/**
 * The databases of a catalogue that another thread has open (`Databases`), for reading, on a level that
 * answers at once and that threads share: a pool.
 */
export class DatabaseReaders {
  constructor (level: AbstractLevel<any, any, any>, options?: { prefix?: string })
  /** null where it is of an older layout, which only who writes it changes; not_found (no_db_file) where there is none. */
  get (name: string): DocumentReader | null
  /** Closes the readers, not the level. */
  close (): Promise<void>
}
