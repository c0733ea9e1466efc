export interface User { name: string | null, roles: string[] }

/** Of the source: what its `changes` are to say. */
export interface SourceFilter { filter?: string, queryParams?: Record<string, any>, docIds?: string[], selector?: any }

/** The replications of a server, by the requests of CouchDB's `POST /_replicate`. Failures are a `CouchError`. */
export class Replicator {
  /** `openLocal` gives a PouchDB on a database of this server, as this user may use it. */
  constructor (options: { openLocal: (name: string, options: { create: boolean, filter?: SourceFilter, user: User }) => Promise<any> })
  /** Resolves once all is copied; of a continuous one, and of cancelling, at once with `_local_id`. */
  replicate (body: any, user: User): Promise<Record<string, any>>
  /** As `GET /_active_tasks` shows them. */
  tasks (): any[]
  close (): Promise<void>
}
