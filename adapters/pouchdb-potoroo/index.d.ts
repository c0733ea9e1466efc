import { EventEmitter } from 'node:events'

/** PouchDB with its adapters and plugins. */
declare class PouchDB<Content extends object = Record<string, any>> extends EventEmitter {
  constructor (name: string, options?: PouchDB.Options)
  readonly name: string
  /** The adapter that the database has: `pmem`, `classic-level`, `memory-level`, `http` or `https`. */
  readonly adapter: string

  get (id: string, options?: Record<string, any>): Promise<PouchDB.Existing<Content>>
  put (doc: PouchDB.Put<Content>, options?: Record<string, any>): Promise<PouchDB.Written>
  post (doc: Content & { _id?: string }, options?: Record<string, any>): Promise<PouchDB.Written>
  remove (doc: { _id: string, _rev: string }): Promise<PouchDB.Written>
  remove (id: string, rev: string): Promise<PouchDB.Written>
  bulkDocs (docs: Array<Content & { _id?: string, _rev?: string, _deleted?: boolean }>, options?: Record<string, any>): Promise<Array<PouchDB.Written | PouchDB.Failure>>
  bulkGet (options: { docs: Array<{ id: string, rev?: string }> } & Record<string, any>): Promise<{ results: any[] }>
  allDocs (options?: Record<string, any>): Promise<{ total_rows: number, offset: number, rows: Array<{ id: string, key: string, value: any, doc?: PouchDB.Existing<Content> }> }>
  changes (options?: Record<string, any>): PouchDB.Changes
  info (): Promise<{ db_name: string, doc_count: number, update_seq: number | string, [other: string]: any }>
  putAttachment (id: string, name: string, rev: string, content: Buffer | string, type: string): Promise<PouchDB.Written>
  getAttachment (id: string, name: string, options?: { rev?: string }): Promise<Buffer>
  removeAttachment (id: string, name: string, rev: string): Promise<PouchDB.Written>
  compact (): Promise<{ ok: true }>
  close (): Promise<void>
  destroy (): Promise<{ ok: true }>

  createIndex (request: { index: { fields: any[], name?: string, ddoc?: string, [other: string]: any } }): Promise<{ result: string, id?: string, name?: string }>
  getIndexes (): Promise<{ indexes: any[] }>
  deleteIndex (index: Record<string, any>): Promise<{ ok: true }>
  find (request: { selector: Record<string, any>, [other: string]: any }): Promise<{ docs: Array<PouchDB.Existing<Content>>, warning?: string, bookmark?: string }>
  explain (request: { selector: Record<string, any>, [other: string]: any }): Promise<any>
  query (view: string | Function | Record<string, any>, options?: Record<string, any>): Promise<{ rows: any[], total_rows?: number, offset?: number }>
  viewCleanup (): Promise<{ ok: true }>

  replicate: {
    to: (target: string | PouchDB, options?: Record<string, any>) => PouchDB.Replication
    from: (source: string | PouchDB, options?: Record<string, any>) => PouchDB.Replication
  }

  sync (target: string | PouchDB, options?: Record<string, any>): PouchDB.Replication

  static readonly version: string
  static plugin (plugin: ((PouchDB: any) => void) | Record<string, any>): typeof PouchDB
  static defaults (options: PouchDB.Options): typeof PouchDB
  static replicate (source: string | PouchDB, target: string | PouchDB, options?: Record<string, any>): PouchDB.Replication
  static sync (source: string | PouchDB, target: string | PouchDB, options?: Record<string, any>): PouchDB.Replication
  static readonly PouchDB: typeof PouchDB
}

declare namespace PouchDB {
  /** The adapters' own options are in their READMEs. */
  interface Options {
    /** Default: the one that has the database already, or `pmem`, or `classic-level` without persistent memory. */
    adapter?: 'pmem' | 'classic-level' | 'memory-level' | 'http' | 'https' | (string & {})
    /** Put in front of the name. */
    prefix?: string
    [other: string]: any
  }

  type Existing<Content> = Content & { _id: string, _rev: string, _attachments?: Record<string, any>, _conflicts?: string[] }
  type Put<Content> = Content & { _id: string, _rev?: string, _deleted?: boolean, _attachments?: Record<string, any> }
  interface Written { ok: true, id: string, rev: string }
  interface Failure { error: true, status: number, name: string, message: string, id?: string }
  interface Changes extends EventEmitter, PromiseLike<{ results: any[], last_seq: number | string }> { cancel (): void }
  interface Replication extends EventEmitter, PromiseLike<any> { cancel (): void }
}

export = PouchDB
