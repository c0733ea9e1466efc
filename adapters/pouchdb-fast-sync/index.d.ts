/** A PouchDB plugin: replications from servers that stream take few requests. */
declare function plugin (PouchDB: any): void

declare global {
  namespace PouchDB {
    namespace Replication {
      /** Options of a replication besides those of PouchDB's types, where `@types/pouchdb-replication` is installed. */
      interface ReplicateOptions {
        /** Milliseconds that the server's stream may be silent before the replication goes on in PouchDB's own way. Default: 60,000. */
        stream_timeout?: number
      }
    }
  }
}

export = plugin
