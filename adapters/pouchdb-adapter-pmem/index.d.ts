/// <reference types="pouchdb-adapter-document-store" />
/** A PouchDB plugin: registers the adapter `pmem`. */
declare function plugin (PouchDB: any): void

declare namespace plugin {
  /** Options of this adapter, for a database that does not exist yet. */
  interface Options {
    /**
     * Whether it is in the pool that databases of its folder share, or a pool of its own. Default true.
     * One process at a time has a pool open: a new database is a pool of its own, too, where another
     * process has the shared one, and an older one of the shared pool is refused then (`LEVEL_LOCKED`).
     */
    shared?: boolean
    /** Bytes that the pool begins with. It is one of its own then. */
    size?: number
    /** Bytes that the pool may grow to. It is one of its own then. */
    maxSize?: number
    /** 32 bytes, each time the database is opened: it is encrypted, in a pool of its own. */
    key?: Uint8Array
  }
}

export = plugin
