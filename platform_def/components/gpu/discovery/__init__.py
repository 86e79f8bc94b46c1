"""Node feature discovery's programs, for the component of that name and for the GPU operator, which brings them."""
