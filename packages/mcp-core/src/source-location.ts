/** A place in a file a person wrote. Lines and columns count from 1. */
export interface SourceLocation {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** RFC 6901 pointer to the value, for example `/mcpServers/github`. */
  readonly pointer?: string | undefined;
}
