"""Text to unit vectors: packaged ONNX encoders and the sentence-transformers door."""
