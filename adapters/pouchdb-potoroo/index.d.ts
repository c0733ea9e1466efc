/// <reference types="pouchdb-core" />
/// <reference types="pouchdb-find" />
/// <reference types="pouchdb-mapreduce" />
/// <reference types="pouchdb-replication" />

/** PouchDB with its adapters and plugins. */
declare const preset: PouchDB.Static & { PouchDB: PouchDB.Static }

export = preset
