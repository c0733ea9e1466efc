/// <reference types="pouchdb-adapter-document-store" />
/** A PouchDB plugin: registers the adapter `level`, which is LevelDB in Node.js and IndexedDB in browsers. */
declare function plugin (PouchDB: any): void

declare namespace plugin {
  interface Options {
    /** Whether a write is on the disk before it is acknowledged. Default true. In Node.js alone. */
    sync?: boolean
  }
}

export = plugin
