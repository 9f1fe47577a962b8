type MediaKind = "image" | "audio" | "video" | "document";
interface ContentBytes {
    readonly base64: string;
    readonly byteLength: number;
    readonly mimeType: string | undefined;
    readonly media: MediaKind | undefined;
}
declare function readBytes(data: string, declaredType?: string | undefined): ContentBytes | undefined;
declare function withTextOfBytes<Blocks extends readonly unknown[]>(blocks: Blocks): Blocks;
export { readBytes, withTextOfBytes };
export type { ContentBytes, MediaKind };
