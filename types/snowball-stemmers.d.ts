declare module 'snowball-stemmers' {
  /** Throws where there is none of that language. */
  export function newStemmer (language: string): { stem (word: string): string }
}
