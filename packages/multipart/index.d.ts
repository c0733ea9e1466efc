/** An attachment that follows its document in multipart/related. */
export interface RelatedAttachment {
  name: string
  contentType: string
  /** Bytes of what is sent. */
  length: number
  /** The name of the compression of its bytes, as in Content-Encoding. */
  encoding?: string
  open (): AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>
}
/** A document with its attachments as multipart/related: iterate its bytes. */
export class RelatedWriter implements AsyncIterable<Uint8Array> {
  constructor (json: string, attachments?: RelatedAttachment[])
  /** Adds the next attachment: very many are not to be made in one go. */
  add (attachment: RelatedAttachment): void
  readonly contentType: string
  /** Bytes of all of it. */
  readonly length: number
  [Symbol.asyncIterator] (): AsyncGenerator<Uint8Array>
}
export class MultipartReader {
  /** `next()` of the source gives null at its end. */
  constructor (source: { next (): Promise<Buffer | null> }, boundary: string)
  /** The headers of the next part by their lower-case names, null after the last. */
  next (): Promise<Map<string, string> | null>
  /** The content of the part, as it comes. */
  content (): AsyncGenerator<Buffer>
  /** The content of the part, of `limit` bytes at most. */
  whole (limit: number): Promise<Buffer>
}
/** The boundary that a Content-Type names. */
export function boundaryOf (contentType: string | undefined): string | null
/** The file name in a Content-Disposition. */
export function fileNameOf (disposition: string | undefined): string | undefined
export function createBoundary (): string
