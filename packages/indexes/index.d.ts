import { DocumentStore } from '@potoroo/document-store'
import { QueryServer } from '@potoroo/query-server'

/** The parameters of a view, in CouchDB's names. */
export interface ViewOptions {
  key?: any
  keys?: any[]
  startkey?: any
  start_key?: any
  startkey_docid?: string
  start_key_doc_id?: string
  endkey?: any
  end_key?: any
  endkey_docid?: string
  end_key_doc_id?: string
  inclusive_end?: boolean
  descending?: boolean
  limit?: number
  skip?: number
  reduce?: boolean
  group?: boolean
  group_level?: number
  include_docs?: boolean
  conflicts?: boolean
  attachments?: boolean
  update?: boolean | 'lazy'
  stale?: string
  update_seq?: boolean
}

export interface ViewAnswer { total_rows?: number, offset?: number | null, rows: any[], update_seq?: number }

/** CouchDB's map/reduce views; their rows live in the database. Failures are a `CouchError`. */
export class Views {
  constructor (options: { queryServer: QueryServer })
  query (database: DocumentStore, designName: string, viewName: string, options?: ViewOptions): Promise<ViewAnswer>
  documents (database: DocumentStore, designName: string, viewName: string, options: ViewOptions): AsyncGenerator<any>
  info (database: DocumentStore, designName: string): Promise<{ language: string, signature: string, update_seq: number, updater_running: boolean, views: string[] }>
  /** Drops rows that no design document asks for. */
  cleanup (database: DocumentStore): Promise<void>
}

/** Finds by selectors: the bodies and answers of CouchDB's `_find`, `_explain` and `_index`. */
export class Mango {
  constructor (views: Views)
  find (database: DocumentStore, body: any): Promise<{ docs: any[], bookmark: string, warning?: string, execution_stats?: any }>
  explain (database: DocumentStore, body: any): Promise<any>
  list (database: DocumentStore): Promise<{ total_rows: number, indexes: any[] }>
  create (database: DocumentStore, body: any): Promise<{ result: 'created' | 'exists', id: string, name: string }>
  delete (database: DocumentStore, designName: string, name: string): Promise<{ ok: true }>
}

/** Compiles a Mango selector: a function of the document. A malformed one throws a `CouchError` with status 400. */
export function compileSelector (selector: any): (doc: any) => boolean
