import { AbstractLevel } from 'abstract-level'
import { Readable } from 'node:stream'
import { Databases, DocumentStore } from '@potoroo/document-store'

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

  interface Definition {
    /** As in `new PouchDB(name, { adapter })`. */
    name: string
    /** Opens the database or makes it; `options` are the ones given to PouchDB. */
    open (name: string, options: Record<string, any>): Promise<Opened>
    /** The same string for names of the same database. Default: the name. */
    identify? (name: string, options: Record<string, any>): string
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
      /** These adapters alone give attachments as streams. */
      getAttachment (docId: string, attachmentId: string, options: { rev?: string, stream: true }): Promise<plugin.AttachmentStream>
    }
  }
}

export = plugin
