declare module 'pouchdb-binary-utils' {
  /** A Buffer in Node.js, a Blob in browsers. */
  export function base64StringToBlobOrBuffer (base64: string, type: string): any
}
