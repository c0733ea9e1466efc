/// <reference types="pouchdb-adapter-document-store" />
/** A PouchDB plugin: registers the adapter `classic-level`. */
declare function plugin (PouchDB: any): void

declare namespace plugin {
  interface Options {
    /** Whether a write is on the disk before it is acknowledged. Default true. */
    sync?: boolean
  }
}

export = plugin
