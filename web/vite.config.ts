import { defineConfig } from "vite";

// The output is committed and part of the program: no hashes in names, no times, nothing inlined.
export default defineConfig({
  base: "/",
  publicDir: "public",
  build: {
    outDir: "../crates/materia/assets/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2023",
    reportCompressedSize: true,
    rolldownOptions: {
      output: {
        entryFileNames: "app.js",
        chunkFileNames: "[name].js",
        assetFileNames: (asset) =>
          asset.names.some((name) => name.endsWith(".css")) ? "app.css" : "[name][extname]",
        codeSplitting: false,
      },
    },
  },
});
