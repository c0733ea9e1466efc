/** A PouchDB plugin: replications from servers that stream take few requests. */
declare function plugin (PouchDB: any): void

export = plugin
