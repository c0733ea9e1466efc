/** The parts of PouchDB's modules that this package uses; they come without types. */

declare module 'pouchdb-errors' {
  interface PouchError extends Error {
    status: number
    error: true
    reason?: string
    id?: string
    docId?: string
  }

  const UNAUTHORIZED: PouchError
  const MISSING_BULK_DOCS: PouchError
  const MISSING_DOC: PouchError
  const REV_CONFLICT: PouchError
  const INVALID_ID: PouchError
  const MISSING_ID: PouchError
  const RESERVED_ID: PouchError
  const NOT_OPEN: PouchError
  const UNKNOWN_ERROR: PouchError
  const BAD_ARG: PouchError
  const QUERY_PARSE_ERROR: PouchError
  const DOC_VALIDATION: PouchError
  const BAD_REQUEST: PouchError
  const NOT_AN_OBJECT: PouchError
  const DB_MISSING: PouchError
  const FORBIDDEN: PouchError
  const INVALID_REV: PouchError
  const FILE_EXISTS: PouchError
  const MISSING_STUB: PouchError
  /** Makes an error of the same form; its parts are members of their own. */
  function createError (error: Pick<PouchError, 'status' | 'name' | 'message' | 'error'>, reason?: string): PouchError
}

declare module 'pouchdb-utils' {
  /** Makes a method that waits for its instance to open, and takes a callback or returns a promise. */
  function adapterFun (name: string, method: (...args: any[]) => void): (...args: any[]) => Promise<any>
  /** Writes to the console, where there is one. */
  function guardedConsole (method: 'warn' | 'error', ...args: unknown[]): void
  /** Throws PouchDB's error of an id that a document cannot have. */
  function invalidIdError (id: unknown): void
  /** Changes a document, or makes it, and tries again after conflicts. */
  function upsert (db: any, id: string, change: (doc: any) => any): Promise<{ updated: boolean, rev: string }>
}
