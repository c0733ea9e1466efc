/** Compiles a Mango selector: a function of the document. A malformed one throws a `CouchError` with status 400. */
export function compileSelector (selector: any): (doc: any) => boolean
