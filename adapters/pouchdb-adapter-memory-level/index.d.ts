/// <reference types="pouchdb-adapter-document-store" />
/** A PouchDB plugin: registers the adapter `memory-level`. */
declare function plugin (PouchDB: any): void

export = plugin
