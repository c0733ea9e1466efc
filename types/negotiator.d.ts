declare module 'negotiator' {
  import type { IncomingHttpHeaders } from 'node:http'

  class Negotiator {
    constructor (request: { headers: IncomingHttpHeaders })
    /** The one of these content types that is wanted most; undefined where none is taken. */
    mediaType (available: string[]): string | undefined
    /** The same of content encodings. */
    encoding (available: string[], options?: { preferred: string[] }): string | undefined
  }

  export = Negotiator
}
