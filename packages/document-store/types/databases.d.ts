/// <reference types="node" />
import { AbstractLevel } from 'abstract-level'
import { EventEmitter } from 'node:events'
import { Document, GetOptions } from './documents'
import { CommitPrepared, DocumentReader, DocumentStore, StoreOptions } from './store'

/**
 * How several servers share one level: each database has one writer, and so has the catalogue. Levels are fenced: they
 * refuse writes with LEVEL_FENCED once another server has taken over. `Databases` emits `unsure` then, with the number of
 * the database or null for the catalogue, and also when the outcome of a write is not known (LEVEL_UNAVAILABLE).
 * `create` resolves with null then: the database is not opened.
 */
export interface Sharing {
  /** The level that a database is written on; throws where it is another server's. */
  levelOf (number: string): AbstractLevel<any, any, any>
  /** The level that the catalogue is written on; throws where it is another server's. */
  catalogue (): AbstractLevel<any, any, any>
  /** Takes a database that is to be dropped from whoever has it. */
  seize (number: string, name: string): Promise<void>
}

/** A database that another server may write: documents are read as they are stored at that moment. */
export class DistantReader implements Pick<DocumentReader, 'name' | 'byDocument' | 'isOfMember' | 'forMember' | 'get' | 'openRevs' | 'bulkGet' | 'getAttachment' | 'revsDiff' | 'getLocal'> {
  readonly name: string
  readonly closed: boolean
  /** These three are as the database was last refreshed, by `Databases.freshReader`. */
  readonly instanceId: string
  readonly partitioned: boolean
  readonly byDocument: boolean
  readonly isOfMember: false
  forMember: DocumentReader['forMember']
  metaText (key: 'security'): string | undefined
  get: DocumentReader['get']
  openRevs: DocumentReader['openRevs']
  bulkGet: DocumentReader['bulkGet']
  getAttachment: DocumentReader['getAttachment']
  revsDiff: DocumentReader['revsDiff']
  getLocal: DocumentReader['getLocal']
  /** Ids of documents that changed after a sequence, and the last one. Without a sequence no ids are read. */
  changedSince (seq?: number): Promise<{ ids: string[], seq: number }>
}

/** A database that was made and is not open: it has shards, or another server may open it. */
export interface NewDatabase { instanceId: string, updateSeq: number }

/** Options of `Databases.open`: those of its stores, and of the catalogue. */
export type DatabasesOptions = Omit<StoreOptions, 'name' | 'onUnsure'> & { sharing?: Sharing }

/** Events of `Databases`. `updated` has, of a shard, the name of the whole and the store of the shard. For `unsure` see `Sharing`. */
export interface DatabasesEvents {
  created: [name: string, database: DocumentStore | NewDatabase]
  updated: [name: string, store: DocumentStore]
  deleted: [name: string]
  opened: [store: DocumentStore, milliseconds: number]
  unsure: [number: string | null]
  close: []
}

/** The databases in one level: a name each, durable, made and dropped atomically. */
export class Databases extends EventEmitter<DatabasesEvents> {
  static open (level: AbstractLevel<any, any, any>, options?: DatabasesOptions): Promise<Databases>
  /** The level that they live in. */
  readonly level: AbstractLevel<any, any, any>
  /** file_exists where there is one. `meta` is set in the same commit. A partitioned one stays so, and one with access by document. null with `sharing` alone. */
  create (name: string, options?: { meta?: Record<string, any>, partitioned?: boolean, access?: boolean }): Promise<DocumentStore | null>
  /** Makes a database of `q` shards (2 to 256), each a database of its own with `meta`, in one commit. */
  createSharded (name: string, q: number, options?: { meta?: Record<string, any>, partitioned?: boolean }): Promise<ShardedDatabase>
  /** A database of several shards; undefined of another one. */
  sharded (name: string): ShardedDatabase | undefined
  /** Opened once and shared; not_found (no_db_file) where there is none, not_implemented for one of several shards. */
  get (name: string): Promise<DocumentStore>
  /** Resolves when a deletion of this database that goes on is done or has failed; at once where there is none. */
  settled (name: string): Promise<void>
  has (name: string): boolean
  /** Returns what is stored of each, without opening any. */
  summaries (): Promise<Array<{ name: string, instanceId: string, updateSeq: number }>>
  /** The stores that are open now. */
  opened (): Promise<DocumentStore[]>
  /** With `sharing`: reads the catalogue again, and clears what was dropped. Whoever gets the catalogue does it. */
  reload (): Promise<void>
  /** The number of a database as far as it is known, without reading. */
  numberOf (name: string): string | undefined
  /** The same as it is stored now. */
  lookUp (name: string): Promise<string | undefined>
  /** Does as if there were none of this name until it is looked up again: another server is dropping it. */
  forget (name: string): void
  /** Whether there is a database of this number, which another server may have dropped. */
  isThere (number: string): Promise<boolean>
  /** With `sharing`: reads a database whoever writes it; not_found (no_db_file) where there is none. */
  reader (name: string): Promise<DistantReader>
  /** The same, refreshed: it knows all that was done before. null where there is none, or only its owner can read it. */
  freshReader (name: string): Promise<DistantReader | null>
  /** Closes a database that belongs to another server from here on. */
  release (number: string): Promise<void>
  /** With `sharing`: reads again which databases are made of shards. */
  readShards (): Promise<void>
  /** Sorted by bytes, without shards. */
  list (): readonly string[]
  destroy (name: string): Promise<void>
  /** Closes the stores, not the level. */
  close (): Promise<void>
}

/** As of the `Databases` that they are; `commit` is needed for writing. */
export interface DatabaseReadersOptions { prefix?: string, deterministicRevs?: boolean | 'couchdb', commit?: CommitPrepared }

/**
 * The databases of a catalogue that another thread has open (`Databases`), for reading, on a level that
 * answers at once and that threads share: a pool. Writes are prepared here, and committed there.
 */
export class DatabaseReaders {
  constructor (level: AbstractLevel<any, any, any>, options?: DatabaseReadersOptions)
  /** null where it is of an older layout, which only who writes it changes; not_found (no_db_file) where there is none. */
  get (name: string): DocumentReader | null
  /** Closes the readers, not the level. */
  close (): Promise<void>
}

/** A database of several shards, whose names (`_shards/00000000-7fffffff/name`) `Databases.get` takes. They have its instance id. */
export interface ShardedDatabase { name: string, q: number, partitioned: boolean, instanceId: string, createdAt: number, shards: string[] }

/** Shards of one database at most. */
export const MOST_SHARDS: number
/** Whether a shard is the one of a document. */
export function isInShard (id: string, shard: { name: string, partitioned?: boolean }): boolean
/** Whether a name is that of a shard. */
export function isShard (name: string): boolean

/** Whether CouchDB's rule lets a database have this name. The store itself takes others, as PouchDB does. */
export function isLegalName (name: string): boolean

/** The error of a name that is not legal, in CouchDB's words. */
export function illegalName (name: string): Error
/** The database that a shard is of; other names are themselves. */
export function publicName (name: string): string
/** The ranges of CRC-32 of `q` shards, as CouchDB names them: `00000000-7fffffff`. */
export function rangesOf (q: number): string[]
/** The index of the shard that a document is in. */
export function shardOf (id: string, database: { q: number, partitioned?: boolean }): number
