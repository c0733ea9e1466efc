import { AbstractLevel } from 'abstract-level'
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { Databases, DocumentStore } from '@potoroo/document-store'
import { JsonQueryPlan } from '@potoroo/indexes'

/**
 * Registers `document-store`, the adapter for stores that are open already:
 * `new PouchDB(name, { adapter: 'document-store', store, databases })`.
 */
declare function plugin (PouchDB: any): void

declare namespace plugin {
  /** A PouchDB plugin: `PouchDB.plugin(…)` registers the adapter. */
  type Plugin = (PouchDB: any) => void

  /** Options of the adapter `document-store`. At least one of the two. */
  interface OpenStoreOptions {
    /** Used where its name is the database's. */
    store?: DocumentStore
    /** Looks up all other names, and makes databases that are not there. */
    databases?: Databases
  }

  interface Opened {
    store: DocumentStore
    /** Closes the store and what is under it. */
    close (): Promise<void>
    /** Closes, and removes the data. */
    destroy (): Promise<void>
  }

  /** The content of an attachment, as it is read. */
  type AttachmentStream = Readable & { type: string, length: number, digest: string }

  /** Documents that `transact` writes, and those that must still hold then. */
  interface Transaction {
    /** Documents as they were read, each once; `rev: null`: it must not be there. */
    reads?: Array<{ id: string, rev: string | null }>
    /** Documents as for `bulkDocs`, each `_id` once. */
    writes?: Array<Record<string, any>>
  }

  /** A moment of a database: a time or an update sequence. */
  type Moment = Date | number | string

  /** A version of a document: who made it of the one before, when, and how. */
  interface Version {
    seq: number
    /** ISO 8601. */
    time: string | null
    user: string | null
    rev: string
    deleted: boolean
    patch?: Array<Record<string, any>>
  }

  export interface SearchRequest {
    query?: string
    fields?: Array<string | { name: string, type: 'string' | 'number' | 'boolean' }>
    vector?: { field: string, near: number[], k?: number, dimensions?: number, metric?: 'cosine' | 'dot' | 'l2' }
    selector?: Record<string, any>
    sort?: Array<string | Record<string, 'asc' | 'desc'>>
    limit?: number
    skip?: number
    bookmark?: string
    use_index?: string | string[]
  }

  /** A find that goes on. */
  interface LiveRequest {
    live: true
    /** As in other finds; all documents that it accepts are in the result, so that there is no limit. */
    selector: Record<string, any>
    fields?: string[]
    /** That of the last event that the application had: what has happened since comes, then `ready`. */
    bookmark?: string
    /** The documents that the application has, with their revisions or null: with them it is told exactly what is new to it. */
    known?: Record<string, string | null>
  }

  /** The result of a live find is kept by its events; they go on until it is cancelled, or the database is closed or destroyed. */
  interface LiveFind extends EventEmitter {
    /** A document is in the result now, or still, in another revision. */
    on (event: 'enter' | 'change', listener: (event: { id: string, doc: any, bookmark: string }) => void): this
    on (event: 'leave', listener: (event: { id: string, bookmark: string }) => void): this
    /** The result is whole as of this bookmark. `reset`: the bookmark means nothing here, and the result comes from the start. */
    on (event: 'ready' | 'reset', listener: (event: { bookmark: string }) => void): this
    /** It has ended, as it should. */
    on (event: 'complete', listener: (event: { bookmark?: string }) => void): this
    /** It has ended, because it failed. */
    on (event: 'error', listener: (error: any) => void): this
    cancel (): void
  }

  interface Definition {
    /** As in `new PouchDB(name, { adapter })`. */
    name: string
    /** Opens the database or makes it; `options` are the ones given to PouchDB. */
    open (name: string, options: Record<string, any>): Promise<Opened>
    /** The same string for names of the same database. Default: the name. */
    identify? (name: string, options: Record<string, any>): string
    /** Options that `open` reads: a name that is nearly one of them is refused. */
    options?: string[]
  }

  /** Makes a PouchDB adapter of a way to open document stores. Instances of one name share a store. */
  function createAdapter (definition: Definition): Plugin
  /** Opens a document store on a level of its own; `remove` deletes the closed level's data. */
  function openOnLevel (level: AbstractLevel<any, any, any>, options: Record<string, any>, remove: () => Promise<void>): Promise<Opened>
  /** A `CouchError` in PouchDB's form; any other error as it is. */
  function toPouchError (error: any, docId?: string): any
}

declare global {
  /** Merges with `@types/pouchdb-core`, if an application has it. */
  namespace PouchDB {
    interface Database<Content extends {} = {}> {
      /**
       * Writes all documents if all reads still hold, in one commit, or nothing. Fails with an error of status 409 whose
       * `conflicts` are `[{ id, rev }]`: what has changed, and its revision now.
       */
      transact (transaction: plugin.Transaction): Promise<Array<{ ok: true, id: string, rev: string }>>
      transact (transaction: plugin.Transaction, callback: (error: any, results?: Array<{ ok: true, id: string, rev: string }>) => void): void
      /** Finds documents, and tells what enters, changes and leaves from then on. Needs pouchdb-find. */
      find (request: plugin.LiveRequest): plugin.LiveFind
      /** Says what is kept of earlier versions of documents, as `{ retain: '30d' }` or `{ versions: 10 }`; `{}` for nothing. */
      keepHistory (limits: { retain?: string | null, versions?: number | null }): Promise<{ ok: true }>
      /** The document as it was. `at`: a Date, milliseconds, ISO 8601 with its zone, or an update sequence. */
      get<Model> (docId: string, options: { at: plugin.Moment, attachments?: boolean, binary?: boolean, meta?: boolean }): Promise<any>
      /** All documents as they were; `total_rows` is null. */
      allDocs<Model> (options: { at: plugin.Moment, [option: string]: any }): Promise<any>
      /** The versions of a document, the latest first, each with a JSON Patch from the one before. */
      history (docId: string, options?: { limit?: number }): Promise<{ id: string, history: plugin.Version[] }>
      /** Makes documents what they were, as new revisions; one that was not there then is deleted. */
      restore (request: { at: plugin.Moment, docs: string[] }): Promise<Array<{ ok: true, id: string, rev: string } | Error>>
      /**
       * Answers a JSONQuery over all documents but design documents, in the order of their ids, as `[?price<10][/title][0:9]`.
       * args: for `$1` to `$9`. explain: tells how it is carried out. Fails with an error of status 400 where the query cannot
       * be read, or asks for too much.
       */
      jsonQuery (query: string, options: { args?: Array<string | number | boolean | null>, explain: true }): Promise<JsonQueryPlan>
      jsonQuery (query: string, options?: { args?: Array<string | number | boolean | null>, explain?: false }): Promise<any>
      /**
       * Finds documents by text, the best ones first: `query` is in Lucene's syntax, over `fields`, of which an index is made where there is
       * none, or in whatever text index there is. By likeness: `vector`, of which an index is made where `dimensions` are said. By both:
       * ranks are mixed. The whole of a field is asked for as `kind\\:string:novel` in a query. `selector`, which beside a query names its fields alone, `sort`, `limit` (25), `skip` and `bookmark` are as in `find`. An index is a design document, which replicates.
       * Fails with status 400 where the query cannot be read, or costs too much.
       */
      search (request: plugin.SearchRequest): Promise<{ docs: any[], bookmark: string, warning?: string }>
      /** These adapters alone give attachments as streams. */
      getAttachment (docId: string, attachmentId: string, options: { rev?: string, at?: plugin.Moment, stream: true }): Promise<plugin.AttachmentStream>
    }
  }
}

export = plugin
