/** Methods that Node.js has and does not document: `toString` without its checks, for short texts on hot paths. */
interface Buffer<TArrayBuffer extends ArrayBufferLike = ArrayBufferLike> {
  latin1Slice (start?: number, end?: number): string
  ucs2Slice (start?: number, end?: number): string
  utf8Slice (start?: number, end?: number): string
}
