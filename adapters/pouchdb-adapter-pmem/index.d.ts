/** A PouchDB plugin: registers the adapter `pmem`. */
declare function plugin (PouchDB: any): void

declare namespace plugin {
  /** Options of this adapter, for a database that does not exist yet. */
  interface Options {
    /** Bytes that the pool begins with. */
    size?: number
    /** Bytes that the pool may grow to. */
    maxSize?: number
  }
}

export = plugin
